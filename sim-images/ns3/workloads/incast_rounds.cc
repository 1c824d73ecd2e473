// SPDX-License-Identifier: GPL-2.0-only
#include "workloads/incast_rounds.h"

#include "base/quantity.h"
#include "workloads/incast_rounds.json.h"

namespace windtunnel
{
namespace
{

constexpr size_t JITTERED_ROUNDS = 1024; ///< an incast of more rounds uses their jitter again

/** How many hosts can send to one of the receivers. */
uint32_t
MostServers(const TopologySpec& topology)
{
    return topology.senders.count - (topology.senders.Contains(topology.receivers.first) ? 1 : 0);
}

std::unique_ptr<Workload>
ReadIncast(Fields& fields, const WorkloadContext& context)
{
    ReadSpec spec{};
    const uint32_t most = MostServers(context.topology);
    spec.servers = fields.IsNull("servers") ? most : fields.Count("servers", 1, most);
    spec.sruBytes = ReadSize(fields, "sru");
    spec.rounds = fields.Count("rounds", 0, 1'000'000);
    spec.gapNs = fields.Read("gap", ParseTime);
    spec.newConnectionEachRound =
        fields.OneOf<bool>("connections", {{"persistent", false}, {"per-round", true}});
    const int64_t jitterNs = ReadJitter(fields, context);
    return std::make_unique<IncastRounds>(spec, jitterNs, context.OneGroup());
}

const WorkloadRegistration REGISTRATION(
    {.name = "incast", .schema = INCAST_ROUNDS_JSON, .read = ReadIncast});

} // namespace

IncastRounds::IncastRounds(ReadSpec spec, int64_t startJitterNs, std::vector<FlowGroup> groups)
    : Workload(std::move(groups)),
      m_spec(spec),
      m_startJitterNs(startJitterNs)
{
}

std::vector<PlannedFlow>
IncastRounds::DrawFlows(FlowDraws& draws) const
{
    const uint32_t client = draws.DrawClient();
    std::vector<PlannedFlow> flows;
    for (const uint32_t server : draws.DrawServers(m_spec.servers, client))
    {
        PlannedFlow flow{.sender = server, .receiver = client};
        flow.jitterNs = draws.DrawJitters(flows.size(), m_startJitterNs, JITTERED_ROUNDS);
        flows.push_back(std::move(flow));
    }
    return flows;
}

std::unique_ptr<Traffic>
IncastRounds::Drive(const TrafficContext& context) const
{
    return std::make_unique<SynchronizedReads>(m_spec, context);
}

} // namespace windtunnel
