// SPDX-License-Identifier: GPL-2.0-only
#include "workloads/bulk.h"
#include "workloads/incast_rounds.h"
#include "workloads/mixed.h"
#include "workloads/random_pairs.h"
#include "workloads/shuffle.h"

#include "ns3/rng-seed-manager.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

using namespace windtunnel;

namespace
{

constexpr int64_t SECOND = 1'000'000'000;

const TopologySpec SIXTEEN_HOSTS{.senders = {0, 16},
                                 .receivers = {0, 16},
                                 .hosts = 16,
                                 .linkRateBps = 100'000'000,
                                 .loadRateBps = 1'600'000'000,
                                 .longestPath = {}};

const std::vector<FlowGroup> ONE_GROUP{{"", {"newreno", {}}}};

RandomPairs
Pairs(uint32_t flows, std::optional<HostPairs> pairs = std::nullopt)
{
    return {{flows, 50'000'000, SECOND, 2 * SECOND, std::move(pairs)}, ONE_GROUP};
}

Schedule
DrawnAt(uint32_t seedIndex,
        const Workload& workload,
        int64_t durationNs = 100 * SECOND,
        const TopologySpec& topology = SIXTEEN_HOSTS)
{
    ns3::RngSeedManager::SetRun(seedIndex);
    return DrawSchedule(workload, topology, durationNs);
}

TopologySpec
DumbbellOf(uint32_t pairs)
{
    return {.senders = {0, pairs},
            .receivers = {pairs, pairs},
            .hosts = 2 * pairs,
            .linkRateBps = 10'000'000,
            .loadRateBps = 10'000'000,
            .longestPath = {}};
}

} // namespace

TEST(Schedule, IsTheSameForTheSameSeedIndexOnly)
{
    EXPECT_EQ(DrawnAt(1, Pairs(20)).Digest(), DrawnAt(1, Pairs(20)).Digest());
    EXPECT_NE(DrawnAt(1, Pairs(20)).Digest(), DrawnAt(2, Pairs(20)).Digest());
}

TEST(Schedule, NeverPairsAHostWithItself)
{
    for (const auto& flow : DrawnAt(3, Pairs(500)).flows)
    {
        EXPECT_NE(flow.sender, flow.receiver);
        EXPECT_LT(flow.sender, 16U);
        EXPECT_LT(flow.receiver, 16U);
    }
}

// Each flow's streams are its own: more flows do not move the ones that were there.
TEST(Schedule, KeepsAFlowsTimesWhenOthersAreAdded)
{
    const auto few = DrawnAt(1, Pairs(3));
    const auto many = DrawnAt(1, Pairs(30));
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
    const auto schedule = DrawnAt(1, Pairs(200));
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
    const auto schedule = DrawnAt(1, Pairs(2, {{{0, 5}, {7, 1}}}));
    EXPECT_EQ(schedule.flows[1].sender, 7U);
    EXPECT_EQ(schedule.flows[1].receiver, 1U);
}

TEST(Schedule, RunsBulkFlowsOverADumbbellsPairsAndJittersTheirStarts)
{
    const Bulk bulk({.groups = {{2, 0}, {1, 10 * SECOND}}, .startJitterNs = 1000, .pairs = {}},
                    {{"first", {"newreno", {}}}, {"second", {"cubic", {}}}});
    const auto schedule = DrawnAt(1, bulk, 100 * SECOND, DumbbellOf(2));
    ASSERT_EQ(schedule.flows.size(), 3U);
    EXPECT_EQ(schedule.flows[1].sender, 1U);
    EXPECT_EQ(schedule.flows[1].receiver, 3U);
    EXPECT_EQ(schedule.flows[2].sender, 0U); // round again
    EXPECT_EQ(schedule.flows[2].group, 1U);
    EXPECT_GE(schedule.flows[2].startNs, 10 * SECOND);
    EXPECT_LE(schedule.flows[2].startNs, 10 * SECOND + 1000);
    EXPECT_NE(schedule.flows[0].startNs, schedule.flows[1].startNs);
    EXPECT_NE(schedule.Digest(), DrawnAt(2, bulk, 100 * SECOND, DumbbellOf(2)).Digest());
}

// Load 0.5 of 10 Mb/s in transfers of 10,000 bytes: 62.5 a second. In 100 s 6,250 are expected, with
// a standard deviation of 79.
TEST(Schedule, OffersTheLoadOfAMixedWorkload)
{
    const Mixed mixed({0.5, SizeDistribution::Empirical({{10'000, 1}})}, ONE_GROUP);
    const auto schedule = DrawnAt(1, mixed, 100 * SECOND, DumbbellOf(3));
    EXPECT_NEAR(schedule.flows.size(), 6250, 5 * 79);
    int64_t last = 0;
    for (const PlannedFlow& flow : schedule.flows)
    {
        EXPECT_EQ(flow.bytes, 10'000U);
        EXPECT_GT(flow.startNs, last);
        EXPECT_LT(flow.sender, 3U);
        EXPECT_GE(flow.receiver, 3U);
        last = flow.startNs;
    }
}

TEST(Schedule, ShufflesEveryBlockToEveryOther)
{
    const auto schedule = DrawnAt(1, Shuffle({4, 1000, 0}, ONE_GROUP));
    std::set<std::pair<uint32_t, uint32_t>> pairs;
    for (const PlannedFlow& flow : schedule.flows)
    {
        pairs.emplace(flow.sender, flow.receiver);
        EXPECT_NE(flow.sender, flow.receiver);
        EXPECT_LT(flow.receiver, 4U);
    }
    EXPECT_EQ(pairs.size(), 12U);
    EXPECT_EQ(schedule.flows.size(), 12U);
}

TEST(Schedule, DrawsAnIncastsClientAndDifferentServersOnAFatTree)
{
    const IncastRounds incast({.servers = 15,
                               .sruBytes = 1000,
                               .rounds = 0,
                               .gapNs = 0,
                               .newConnectionEachRound = false},
                              500,
                              ONE_GROUP);
    const auto schedule = DrawnAt(1, incast);
    std::set<uint32_t> hosts{schedule.flows[0].receiver};
    for (const PlannedFlow& flow : schedule.flows)
    {
        EXPECT_EQ(flow.receiver, schedule.flows[0].receiver);
        hosts.insert(flow.sender);
        EXPECT_GT(flow.jitterNs.size(), 1U);
        EXPECT_LE(*std::max_element(flow.jitterNs.begin(), flow.jitterNs.end()), 500);
    }
    EXPECT_EQ(hosts.size(), 16U);
}
