// SPDX-License-Identifier: GPL-2.0-only
#include "workloads/traffic.h"

#include "ns3/simulator.h"

using namespace ns3;

namespace windtunnel
{

Traffic::Traffic(const RunSpec& spec, Connections& connections)
    : m_spec(spec),
      m_connections(connections)
{
    if (std::holds_alternative<IncastSpec>(spec.workload))
    {
        m_incast = std::make_unique<IncastRounds>(spec, connections);
        return;
    }
    const auto& flows = connections.Planned().flows;
    m_sources.resize(flows.size());
    for (uint32_t flow = 0; flow < flows.size(); ++flow)
    {
        Simulator::ScheduleWithContext(connections.Sender(flow)->GetId(),
                                       NanoSeconds(flows[flow].startNs),
                                       [this, flow] { Begin(flow); });
    }
}

const std::vector<Round>&
Traffic::Rounds() const
{
    static const std::vector<Round> none;
    return m_incast ? m_incast->Rounds() : none;
}

void
Traffic::Begin(uint32_t flow)
{
    const PlannedFlow& planned = m_connections.Planned().flows[flow];
    if (const auto* pairs = std::get_if<RandomPairsSpec>(&m_spec.workload))
    {
        auto socket = m_connections.Open(flow);
        m_onOffSources.push_back(std::make_unique<OnOffSource>(socket,
                                                               m_spec.transport.segmentBytes,
                                                               pairs->rateBps,
                                                               planned.periods));
        m_onOffSources.back()->Start();
        return;
    }
    auto socket = m_connections.Open(flow, [this, flow] { m_sources[flow]->Push(); });
    m_sources[flow] = std::make_unique<DataSource>(socket, m_spec.transport.segmentBytes);
    m_sources[flow]->Offer(planned.bytes > 0 ? planned.bytes : DataSource::WITHOUT_END);
    if (planned.bytes > 0)
    {
        m_sources[flow]->CloseWhenSent();
    }
}

} // namespace windtunnel
