// SPDX-License-Identifier: GPL-2.0-only
#include "workloads/transfers.h"

#include "ns3/simulator.h"

using namespace ns3;

namespace windtunnel
{

Transfers::Transfers(const TrafficContext& context)
    : m_connections(context.connections),
      m_segmentBytes(context.transport.segmentBytes)
{
    const auto& flows = m_connections.Planned().flows;
    m_sources.resize(flows.size());
    for (uint32_t flow = 0; flow < flows.size(); ++flow)
    {
        Simulator::ScheduleWithContext(m_connections.Sender(flow)->GetId(),
                                       NanoSeconds(flows[flow].startNs),
                                       [this, flow] { Begin(flow); });
    }
}

void
Transfers::Begin(uint32_t flow)
{
    const PlannedFlow& planned = m_connections.Planned().flows[flow];
    auto socket = m_connections.Open(flow, [this, flow] { m_sources[flow]->Push(); });
    m_sources[flow] = std::make_unique<DataSource>(socket, m_segmentBytes);
    m_sources[flow]->Offer(planned.bytes > 0 ? planned.bytes : DataSource::WITHOUT_END);
    if (planned.bytes > 0)
    {
        m_sources[flow]->CloseWhenSent();
    }
}

} // namespace windtunnel
