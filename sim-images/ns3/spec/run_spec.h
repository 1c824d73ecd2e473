// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "fabric/link.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace windtunnel
{

struct FatTreeSpec
{
    enum class Rack
    {
        PointToPoint,
        SharedLan
    };
    enum class Routing
    {
        SinglePath,
        EcmpFlow
    };
    uint32_t k;
    Rack rack;
    Routing routing;
    LinkConfig link;
};

/** Flows between random or given host pairs, each with exponential on and off times. */
struct RandomPairsSpec
{
    uint32_t flows;
    uint64_t rateBps; ///< while on, IP payload's payload: bits of application data per second
    int64_t onMeanNs;
    int64_t offMeanNs;
    std::optional<std::vector<std::pair<uint32_t, uint32_t>>> pairs; ///< sender, receiver
};

struct TransportSpec
{
    uint32_t segmentBytes;
    uint32_t initialCwndSegments;
    uint32_t initialSsthreshBytes;
    bool sack;
    bool timestamps;
    bool windowScaling;
    uint32_t delayedAckCount;
    int64_t delayedAckTimeoutNs;
    int64_t minRtoNs;
    std::string recovery; ///< `prr` or `classic`
    uint32_t sendBufferBytes;
    uint32_t receiveBufferBytes;
};

/** A congestion control by its name in a spec, and its ns-3 attributes by name. */
struct AlgorithmSpec
{
    std::string kind;
    nlohmann::json attributes;
};

struct SeriesSpec
{
    std::string probe; ///< `queue_length`
    std::string at;    ///< a port's name, or `core` for every port of the core switches
    int64_t stepNs;
};

/** One simulation, fully resolved: every field is there, every quantity canonical. */
struct RunSpec
{
    uint32_t seedIndex;
    FatTreeSpec topology;
    RandomPairsSpec workload;
    TransportSpec transport;
    AlgorithmSpec algorithm;
    int64_t durationNs;
    int64_t warmupNs;
    std::vector<SeriesSpec> series;

    /** @throws SpecError naming the first field that is missing, unknown or out of range. */
    static RunSpec FromJson(const nlohmann::json& document);
};

} // namespace windtunnel
