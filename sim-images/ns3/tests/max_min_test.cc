// SPDX-License-Identifier: GPL-2.0-only
#include "results/max_min.h"

#include <gtest/gtest.h>

using namespace windtunnel;

TEST(MaxMinRates, SharesOneLinkEvenly)
{
    const auto rates = MaxMinRates({{{0, 1}}, {{0, 1}}, {{0, 1}}}, {9});
    for (const FairRate& rate : rates)
    {
        EXPECT_DOUBLE_EQ(rate.rate, 3);
        EXPECT_EQ(rate.bottleneck, 0U);
    }
}

// Bertsekas and Gallager's parking lot: a long flow over links of 1, 1 and 2, and one flow on each.
// The long flow and those of the first links get 1/2; the last link leaves 3/2 to its own.
TEST(MaxMinRates, GivesWhatALongFlowLeavesToTheOthers)
{
    const auto rates =
        MaxMinRates({{{0, 1}, {1, 1}, {2, 1}}, {{0, 1}}, {{1, 1}}, {{2, 1}}}, {1, 1, 2});
    EXPECT_DOUBLE_EQ(rates[0].rate, 0.5);
    EXPECT_DOUBLE_EQ(rates[1].rate, 0.5);
    EXPECT_DOUBLE_EQ(rates[2].rate, 0.5);
    EXPECT_DOUBLE_EQ(rates[3].rate, 1.5);
    EXPECT_EQ(rates[3].bottleneck, 2U);
}

// A flow spread over two links of 1 takes half its rate from each: two such flows get 1 each, as
// many as the links hold together.
TEST(MaxMinRates, CountsSharesOfSpreadFlows)
{
    const auto rates = MaxMinRates({{{0, 0.5}, {1, 0.5}}, {{0, 0.5}, {1, 0.5}}}, {1, 1});
    EXPECT_DOUBLE_EQ(rates[0].rate, 1);
    EXPECT_DOUBLE_EQ(rates[1].rate, 1);
}

TEST(MaxMinRates, HasNothingToSayOfNoFlows)
{
    EXPECT_TRUE(MaxMinRates({}, {1, 2}).empty());
}
