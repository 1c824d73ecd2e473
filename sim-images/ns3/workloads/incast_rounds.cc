// SPDX-License-Identifier: GPL-2.0-only
#include "workloads/incast_rounds.h"

#include "ns3/simulator.h"

using namespace ns3;

namespace windtunnel
{

IncastRounds::IncastRounds(const RunSpec& spec, Connections& connections)
    : m_incast(std::get<IncastSpec>(spec.workload)),
      m_segmentBytes(spec.transport.segmentBytes),
      m_connections(connections),
      m_sources(m_incast.servers),
      m_missing(m_incast.servers)
{
    connections.AddOnDelivery([this](uint32_t flow, uint32_t bytes) { Delivered(flow, bytes); });
    if (m_incast.newConnectionEachRound)
    {
        Simulator::Schedule(NanoSeconds(m_incast.gapNs), &IncastRounds::BeginRound, this);
        return;
    }
    // Spaced, so that even the smallest buffer takes every SYN.
    OpenAll(spec.topology.BaseRttNs(spec.transport.HeaderBytes(), spec.transport.HeaderBytes()) / 4);
}

void
IncastRounds::OpenAll(int64_t spacingNs)
{
    for (uint32_t flow = 0; flow < m_incast.servers; ++flow)
    {
        Simulator::ScheduleWithContext(
            m_connections.Sender(flow)->GetId(),
            NanoSeconds(flow * spacingNs),
            [this, flow] {
                auto socket = m_connections.Open(flow, [this, flow] {
                    m_sources[flow]->Push();
                    Connected();
                });
                m_sources[flow] = std::make_unique<DataSource>(socket, m_segmentBytes);
            });
    }
}

void
IncastRounds::Connected()
{
    if (++m_connected == m_incast.servers)
    {
        Simulator::Schedule(NanoSeconds(m_incast.gapNs), &IncastRounds::BeginRound, this);
    }
}

void
IncastRounds::BeginRound()
{
    const size_t round = m_rounds.size();
    m_rounds.push_back({Simulator::Now().GetNanoSeconds()});
    m_unfinished = m_incast.servers;
    for (uint32_t flow = 0; flow < m_incast.servers; ++flow)
    {
        m_missing[flow] = m_incast.sruBytes;
        m_connections.BeginRound(flow);
        const auto& jitter = m_connections.Planned().flows[flow].jitterNs;
        Simulator::ScheduleWithContext(m_connections.Sender(flow)->GetId(),
                                       NanoSeconds(jitter[round % jitter.size()]),
                                       [this, flow] { Send(flow); });
    }
}

void
IncastRounds::Send(uint32_t flow)
{
    if (m_incast.newConnectionEachRound)
    {
        auto socket = m_connections.Open(flow, [this, flow] { m_sources[flow]->Push(); });
        m_sources[flow] = std::make_unique<DataSource>(socket, m_segmentBytes);
        m_sources[flow]->CloseWhenSent();
    }
    m_sources[flow]->Offer(m_incast.sruBytes);
}

void
IncastRounds::Delivered(uint32_t flow, uint32_t bytes)
{
    m_missing[flow] -= bytes;
    if (m_missing[flow] > 0 || --m_unfinished > 0)
    {
        return;
    }
    m_rounds.back().endNs = Simulator::Now().GetNanoSeconds();
    if (m_incast.rounds == 0 || m_rounds.size() < m_incast.rounds)
    {
        Simulator::Schedule(NanoSeconds(m_incast.gapNs), &IncastRounds::BeginRound, this);
    }
}

} // namespace windtunnel
