// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "probes/flow_probe.h"
#include "probes/tcp_probe.h"
#include "results/max_min.h"
#include "spec/run_spec.h"
#include "topologies/network.h"
#include "workloads/connections.h"
#include "workloads/traffic.h"

#include <optional>
#include <vector>

namespace windtunnel
{

/** The parts of a run that has ended; they outlive what is made of them. */
struct FinishedRun
{
    const RunSpec& spec;
    const Schedule& schedule;
    const Network& network;
    const FlowProbe& flows;
    const TcpProbe& tcp;
    const Connections& connections;
    const Traffic& traffic;
    const std::vector<std::optional<Path>>& paths; ///< by flow; none for one that never began
    const std::vector<double>& windowVariation;    ///< samples over the measured time
    uint64_t seriesBytes;                          ///< sum of the goodput series

    uint32_t FlowCount() const
    {
        return schedule.flows.size();
    }

    double MeasuredSeconds() const
    {
        return static_cast<double>(spec.durationNs - spec.warmupNs) / 1e9;
    }

    /** Bytes that a flow delivered over the time in which it could: a long-lived flow's from its
     * planned start, the measured time else. Zero for one that was to start after the run's end. */
    double GoodputMbps(uint32_t flow) const
    {
        return GoodputMbps(connections.Deliveries()[flow].bytesMeasured,
                           schedule.flows[flow].startNs);
    }

    /** The same of several flows together, from the first of their planned starts. */
    double TotalGoodputMbps(const std::vector<uint32_t>& flows) const;

    double LinkMbps() const
    {
        return static_cast<double>(spec.topology.linkRateBps) / 1e6;
    }

    /** Every flow's max-min fair ceiling as goodput in Mb/s, against the others of the run; by
     * flow, zero for one that never began. The bottleneck is a port's index. */
    std::vector<FairRate> FairCeilings() const;

  private:
    double GoodputMbps(uint64_t bytes, int64_t plannedStartNs) const;
};

} // namespace windtunnel
