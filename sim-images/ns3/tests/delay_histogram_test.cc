// SPDX-License-Identifier: GPL-2.0-only
#include "probes/delay_histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

using windtunnel::DelayHistogram;

TEST(DelayHistogram, IsExactForSmallValues)
{
    DelayHistogram histogram;
    for (int64_t ns = 1; ns <= 100; ++ns)
    {
        histogram.Add(ns);
    }
    EXPECT_EQ(histogram.Quantile(50), 50);
    EXPECT_EQ(histogram.Quantile(95), 95);
    EXPECT_EQ(histogram.Quantile(99), 99);
}

TEST(DelayHistogram, IsWithinItsBucketOfTheSortedQuantile)
{
    DelayHistogram histogram;
    std::vector<int64_t> values;
    uint64_t state = 1;
    for (int i = 0; i < 20'000; ++i)
    {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL; // Knuth's MMIX
        values.push_back(1000 + static_cast<int64_t>(state >> 38));
        histogram.Add(values.back());
    }
    std::sort(values.begin(), values.end());
    for (const uint32_t percent : {50U, 95U, 99U})
    {
        const auto exact = static_cast<double>(values[values.size() * percent / 100 - 1]);
        EXPECT_NEAR(histogram.Quantile(percent), exact, exact / 2048);
    }
}

TEST(DelayHistogram, OfNothingHasQuantileZero)
{
    EXPECT_EQ(DelayHistogram().Quantile(99), 0);
}
