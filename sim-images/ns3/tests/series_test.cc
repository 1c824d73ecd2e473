// SPDX-License-Identifier: GPL-2.0-only
#include "probes/series.h"

#include "ns3/nstime.h"
#include "ns3/simulator.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace windtunnel;

namespace
{

/** The series of the time in seconds, sampled every second of a run of @p duration. */
SampledSeries
SeriesOfNow(SampledAt at, const Time& duration)
{
    SeriesSampler sampler({{"now", "s", [] { return Simulator::Now().GetSeconds(); }}},
                          at,
                          Seconds(1).GetNanoSeconds());
    sampler.Start();
    Simulator::Stop(duration);
    Simulator::Run();
    const SampledSeries series = sampler.Take().front();
    Simulator::Destroy();
    return series;
}

} // namespace

// The run stops at 4 s, before the events of that instant; the fourth interval ends there.
TEST(SeriesSampler, ReadsARateAtTheEndOfEveryInterval)
{
    const SampledSeries series = SeriesOfNow(SampledAt::End, Seconds(4));
    EXPECT_EQ(series.firstNs, 1'000'000'000);
    EXPECT_EQ(series.values, (std::vector<float>{1, 2, 3, 4}));
}

TEST(SeriesSampler, LeavesOutAnIntervalThatTheRunsEndCuts)
{
    EXPECT_EQ(SeriesOfNow(SampledAt::End, Seconds(4.5)).values, (std::vector<float>{1, 2, 3, 4}));
    EXPECT_TRUE(SeriesOfNow(SampledAt::End, Seconds(0.5)).values.empty());
}

TEST(SeriesSampler, ReadsAnInstantAtTheBeginOfEveryInterval)
{
    const SampledSeries series = SeriesOfNow(SampledAt::Begin, Seconds(4));
    EXPECT_EQ(series.firstNs, 0);
    EXPECT_EQ(series.values, (std::vector<float>{0, 1, 2, 3}));
}
