// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "probes/series.h"
#include "probes/tcp_probe.h"
#include "spec/run_spec.h"
#include "topologies/network.h"
#include "workloads/connections.h"

#include <set>
#include <string>

namespace windtunnel
{

/** What series are read from. */
struct SeriesSources
{
    const Network& network;
    const Connections& connections;
    const TcpProbe& tcp;
    const Workload& workload;
    uint32_t segmentBytes; ///< in which congestion windows are counted
};

/** The sampler of one series of a spec: of every port or flow that its `at` names.
 *  @param taken names of series that are recorded already, and will not be twice; grows
 *  @throws SpecError if it names none. */
SeriesSampler MakeSampler(const SeriesSpec& spec,
                          const SeriesSources& sources,
                          std::set<std::string>& taken);

} // namespace windtunnel
