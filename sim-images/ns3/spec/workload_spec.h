// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "spec/fields.h"
#include "spec/topology_spec.h"
#include "workloads/size_distribution.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace windtunnel
{

/** A congestion control by its name in a spec, and its attributes by name. */
struct AlgorithmSpec
{
    std::string kind;
    nlohmann::json attributes;
};

/** Flows that share an algorithm. */
struct FlowGroup
{
    std::string name; ///< empty where the workload has no groups
    AlgorithmSpec algorithm;
};

using HostPairs = std::vector<std::pair<uint32_t, uint32_t>>; ///< sender, receiver

/** Flows between random or given host pairs, each with exponential on and off times. */
struct RandomPairsSpec
{
    uint32_t flows;
    uint64_t rateBps; ///< while on: bits of application data per second
    int64_t onMeanNs;
    int64_t offMeanNs;
    std::optional<HostPairs> pairs;
};

/** Long-lived flows that always have something to send. */
struct BulkSpec
{
    struct Group
    {
        uint32_t flows;
        int64_t startNs;
    };
    std::vector<Group> groups; ///< parallel to RunSpec::groups
    int64_t startJitterNs;
    std::optional<HostPairs> pairs;

    uint32_t Flows() const;
};

/** Every server sends a unit; when all have arrived, the next round begins. */
struct IncastSpec
{
    uint32_t servers;
    uint32_t sruBytes;
    uint32_t rounds; ///< 0: until the run ends
    int64_t gapNs;
    int64_t startJitterNs;
    bool newConnectionEachRound; ///< one for every round, rather than one for all
};

/** Transfers that arrive as a Poisson process. */
struct MixedSpec
{
    double load; ///< of TopologySpec::loadRateBps
    SizeDistribution sizes;
};

/** Every host sends a block to every other. */
struct ShuffleSpec
{
    uint32_t hosts;
    uint32_t blockBytes;
    int64_t startJitterNs;
};

using WorkloadSpec = std::variant<RandomPairsSpec, BulkSpec, IncastSpec, MixedSpec, ShuffleSpec>;

constexpr uint32_t MAX_FLOWS = 40'000; ///< a flow has a TCP port of its own

struct Workload
{
    WorkloadSpec kind;
    std::vector<FlowGroup> groups;
};

/** @param algorithm of groups that name none, or null.
 *  @throws SpecError */
Workload ReadWorkload(Fields fields,
                      const TopologySpec& topology,
                      const nlohmann::json& algorithm,
                      int64_t baseRttNs);

} // namespace windtunnel
