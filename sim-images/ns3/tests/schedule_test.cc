// SPDX-License-Identifier: GPL-2.0-only
#include "workloads/schedule.h"

#include "ns3/rng-seed-manager.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace windtunnel;

namespace
{

constexpr int64_t SECOND = 1'000'000'000;

RandomPairsSpec
SpecOf(uint32_t flows)
{
    return {flows, 50'000'000, SECOND, 2 * SECOND, std::nullopt};
}

Schedule
DrawnAt(uint32_t seedIndex, const RandomPairsSpec& spec, int64_t durationNs = 100 * SECOND)
{
    ns3::RngSeedManager::SetRun(seedIndex);
    return DrawSchedule(spec, 16, durationNs);
}

} // namespace

TEST(Schedule, IsTheSameForTheSameSeedIndexOnly)
{
    EXPECT_EQ(DrawnAt(1, SpecOf(20)).Digest(), DrawnAt(1, SpecOf(20)).Digest());
    EXPECT_NE(DrawnAt(1, SpecOf(20)).Digest(), DrawnAt(2, SpecOf(20)).Digest());
}

TEST(Schedule, NeverPairsAHostWithItself)
{
    for (const auto& flow : DrawnAt(3, SpecOf(500)).flows)
    {
        EXPECT_NE(flow.sender, flow.receiver);
        EXPECT_LT(flow.sender, 16U);
        EXPECT_LT(flow.receiver, 16U);
    }
}

// Each flow's streams are its own: more flows do not move the ones that were there.
TEST(Schedule, KeepsAFlowsTimesWhenOthersAreAdded)
{
    const auto few = DrawnAt(1, SpecOf(3));
    const auto many = DrawnAt(1, SpecOf(30));
    for (size_t flow = 0; flow < 3; ++flow)
    {
        EXPECT_EQ(few.flows[flow].sender, many.flows[flow].sender);
        EXPECT_EQ(few.flows[flow].periods.at(0).beginNs, many.flows[flow].periods.at(0).beginNs);
    }
}

// On 1 s, off 2 s: a third of the time. 200 flows x 100 s hold some 6,700 cycles, whose share has a
// standard error near 0.005.
TEST(Schedule, IsOnForTheShareThatItsMeansGive)
{
    double on = 0;
    const auto schedule = DrawnAt(1, SpecOf(200));
    for (const auto& flow : schedule.flows)
    {
        int64_t last = 0;
        for (const auto& period : flow.periods)
        {
            EXPECT_LT(last, period.beginNs);
            EXPECT_LE(period.endNs, 100 * SECOND);
            on += static_cast<double>(period.endNs - period.beginNs);
            last = period.endNs;
        }
    }
    EXPECT_NEAR(on / 200 / (100.0 * SECOND), 1.0 / 3, 0.02);
}

TEST(Schedule, TakesGivenPairs)
{
    auto spec = SpecOf(2);
    spec.pairs = {{{0, 5}, {7, 1}}};
    const auto schedule = DrawnAt(1, spec);
    EXPECT_EQ(schedule.flows[1].sender, 7U);
    EXPECT_EQ(schedule.flows[1].receiver, 1U);
}
