// SPDX-License-Identifier: GPL-2.0-only
#include "results/finished_run.h"

#include <algorithm>
#include <limits>

namespace windtunnel
{

double
FinishedRun::GoodputMbps(uint64_t bytes, int64_t plannedStartNs) const
{
    const bool isLongLived = spec.workload->HasLongLivedFlows();
    const int64_t beginNs =
        isLongLived ? std::max(spec.warmupNs, plannedStartNs) : spec.warmupNs;
    return beginNs < spec.durationNs ? static_cast<double>(bytes) * 8e3 /
                                           static_cast<double>(spec.durationNs - beginNs)
                                     : 0;
}

double
FinishedRun::TotalGoodputMbps(const std::vector<uint32_t>& flows) const
{
    uint64_t bytes = 0;
    int64_t firstStartNs = std::numeric_limits<int64_t>::max();
    for (const uint32_t flow : flows)
    {
        bytes += connections.Deliveries()[flow].bytesMeasured;
        firstStartNs = std::min(firstStartNs, schedule.flows[flow].startNs);
    }
    return GoodputMbps(bytes, firstStartNs);
}

std::vector<FairRate>
FinishedRun::FairCeilings() const
{
    const auto& ports = network.Ports();
    uint32_t media = 0;
    for (const Port& port : ports)
    {
        media = std::max(media, port.medium + 1);
    }
    // What a link can carry of the application's data, in full packets.
    const double payload = static_cast<double>(spec.transport.segmentBytes) /
                           (spec.transport.PacketBytes() + LinkRate::FRAMING_BYTES);
    std::vector<double> capacities(media, 0);
    for (const Port& port : ports)
    {
        const auto rate = static_cast<double>(port.link.rate.GetBitRate());
        capacities[port.medium] = rate / 1e6 * payload;
    }
    std::vector<ResourceShares> shares;
    std::vector<uint32_t> flowOf;
    for (uint32_t flow = 0; flow < FlowCount(); ++flow)
    {
        if (paths[flow])
        {
            ResourceShares one;
            for (const Path::Hop& hop : paths[flow]->hops)
            {
                one.emplace_back(ports[hop.port].medium, hop.share);
            }
            shares.push_back(std::move(one));
            flowOf.push_back(flow);
        }
    }
    const auto rates = MaxMinRates(shares, capacities);
    std::vector<FairRate> ceilings(FlowCount());
    for (size_t i = 0; i < rates.size(); ++i)
    {
        const auto& hops = paths[flowOf[i]]->hops;
        const auto own = std::find_if(hops.begin(), hops.end(), [&](const Path::Hop& hop) {
            return ports[hop.port].medium == rates[i].bottleneck;
        });
        ceilings[flowOf[i]] = {rates[i].rate, own->port};
    }
    return ceilings;
}

} // namespace windtunnel
