// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "topologies/topology.h"
#include "workloads/transport_spec.h"
#include "workloads/workload.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace windtunnel
{

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
    std::shared_ptr<const Workload> workload;
    int64_t durationNs;
    int64_t warmupNs;
    std::vector<SeriesSpec> series;

    /** @throws SpecError naming the first field that is missing, unknown or out of range. */
    static RunSpec FromJson(const nlohmann::json& document);
};

} // namespace windtunnel
