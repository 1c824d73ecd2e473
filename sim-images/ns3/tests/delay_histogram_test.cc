// SPDX-License-Identifier: GPL-2.0-only
#include "probes/delay_histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
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

TEST(DelayHistogram, CoarseBinsAscendAndEndAtTheirLargestDelay)
{
    DelayHistogram histogram;
    // 1000 has its top bit at 2^9, so its range is 2^4 wide: 992 to 1007.
    for (const int64_t ns : {5000000, 1000, 1007, 992, 1008, 63, 0, 63, 64, 65})
    {
        histogram.Add(ns);
    }
    std::vector<std::pair<int64_t, uint64_t>> bins;
    for (const auto& bin : histogram.CoarseBins())
    {
        bins.emplace_back(bin.delayNs, bin.packets);
    }
    // 5,000,000 has its top bit at 2^22: 2^17 wide, 38 * 2^17 = 4,980,736 to 39 * 2^17 - 1.
    const std::vector<std::pair<int64_t, uint64_t>> expected{
        {0, 1}, {63, 2}, {65, 2}, {1007, 3}, {1023, 1}, {5111807, 1}};
    EXPECT_EQ(bins, expected);
}

TEST(DelayHistogram, CoarseBinsAreWithinTheirRelativeWidth)
{
    for (uint32_t bit = 0; bit < 63; ++bit)
    {
        for (const int64_t ns : {int64_t{1} << bit, (int64_t{1} << bit) / 3 * 4, (int64_t{1} << bit) - 1})
        {
            DelayHistogram histogram;
            histogram.Add(ns);
            const auto bins = histogram.CoarseBins();
            ASSERT_EQ(bins.size(), 1U);
            EXPECT_EQ(bins[0].packets, 1U);
            EXPECT_GE(bins[0].delayNs, ns);
            EXPECT_LE(bins[0].delayNs - ns, ns / 32);
        }
    }
    DelayHistogram largest;
    largest.Add(std::numeric_limits<int64_t>::max());
    EXPECT_EQ(largest.CoarseBins().at(0).delayNs, std::numeric_limits<int64_t>::max());
}

TEST(DelayHistogram, CoarseBinsHoldEveryPacket)
{
    DelayHistogram histogram;
    for (int64_t ns = 1; ns <= 100'000; ++ns)
    {
        histogram.Add(ns);
    }
    uint64_t packets = 0;
    for (const auto& bin : histogram.CoarseBins())
    {
        packets += bin.packets;
        // Exact: as many delays are at most the range's largest one.
        EXPECT_EQ(packets, static_cast<uint64_t>(std::min<int64_t>(bin.delayNs, 100'000)));
    }
    EXPECT_EQ(packets, histogram.Count());
}

TEST(DelayHistogram, OfNothingHasQuantileZeroAndNoBins)
{
    EXPECT_EQ(DelayHistogram().Quantile(99), 0);
    EXPECT_TRUE(DelayHistogram().CoarseBins().empty());
}
