// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "spec/topology_spec.h"
#include "spec/workload_spec.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace windtunnel
{

struct TransportSpec
{
    uint32_t segmentBytes;
    uint32_t initialCwndSegments;
    uint32_t initialSsthreshBytes;
    bool sack;
    bool timestamps;
    bool windowScaling;
    bool ecn;
    uint32_t delayedAckCount;
    int64_t delayedAckTimeoutNs;
    int64_t minRtoNs;
    std::string recovery; ///< `prr` or `classic`
    uint32_t sendBufferBytes;
    uint32_t receiveBufferBytes;

    /** IP and TCP headers of a data packet. */
    uint32_t HeaderBytes() const
    {
        return 40 + (timestamps ? 12 : 0);
    }

    /** IP bytes of a full data packet. */
    uint32_t PacketBytes() const
    {
        return segmentBytes + HeaderBytes();
    }
};

/** What is sampled, where (ports or flows by name), and how often. */
struct SeriesSpec
{
    std::string probe;
    std::string at;
    int64_t stepNs;
};

/** One simulation, fully resolved: every field is there, every quantity canonical. */
struct RunSpec
{
    uint32_t seedIndex;
    TransportSpec transport;
    TopologySpec topology;
    WorkloadSpec workload;
    std::vector<FlowGroup> groups; ///< at least one; unnamed where the workload has no groups
    int64_t durationNs;
    int64_t warmupNs;
    std::vector<SeriesSpec> series;

    /** @throws SpecError naming the first field that is missing, unknown or out of range. */
    static RunSpec FromJson(const nlohmann::json& document);
};

} // namespace windtunnel
