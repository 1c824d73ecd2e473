// SPDX-License-Identifier: GPL-2.0-only
#include "workloads/shuffle.h"

#include "workloads/shuffle.json.h"

#include <algorithm>

namespace windtunnel
{
namespace
{

std::unique_ptr<Workload>
ReadShuffle(Fields& fields, const WorkloadContext& context)
{
    const TopologySpec& topology = context.topology;
    const uint32_t most = std::max(topology.senders.count, topology.receivers.count);
    ShuffleSpec spec{};
    spec.hosts = fields.IsNull("hosts") ? most : fields.Count("hosts", 1, most);
    spec.blockBytes = ReadSize(fields, "block");
    spec.startJitterNs = ReadJitter(fields, context);
    const uint64_t pairs = uint64_t{std::min(spec.hosts, topology.senders.count)} *
                           std::min(spec.hosts, topology.receivers.count);
    if (spec.hosts == 1 && topology.senders.first == topology.receivers.first)
    {
        fields.Fail("hosts", "one host has nobody to send to");
    }
    if (pairs > MAX_FLOWS)
    {
        fields.Fail("hosts",
                    "at most " + std::to_string(MAX_FLOWS) + " transfers are possible; take fewer");
    }
    return std::make_unique<Shuffle>(spec, context.OneGroup());
}

const WorkloadRegistration REGISTRATION(
    {.name = "shuffle", .schema = SHUFFLE_JSON, .read = ReadShuffle});

} // namespace

Shuffle::Shuffle(ShuffleSpec spec, std::vector<FlowGroup> groups)
    : Workload(std::move(groups)),
      m_spec(spec)
{
}

std::vector<PlannedFlow>
Shuffle::DrawFlows(FlowDraws& draws) const
{
    const TopologySpec& topology = draws.Topology();
    const uint32_t senders = std::min(m_spec.hosts, topology.senders.count);
    const uint32_t receivers = std::min(m_spec.hosts, topology.receivers.count);
    std::vector<PlannedFlow> flows;
    for (uint32_t from = 0; from < senders; ++from)
    {
        for (uint32_t to = 0; to < receivers; ++to)
        {
            PlannedFlow flow{.sender = topology.senders.first + from,
                             .receiver = topology.receivers.first + to,
                             .bytes = m_spec.blockBytes};
            if (flow.sender != flow.receiver)
            {
                flow.startNs = draws.DrawJitter(flows.size(), m_spec.startJitterNs);
                flows.push_back(std::move(flow));
            }
        }
    }
    return flows;
}

} // namespace windtunnel
