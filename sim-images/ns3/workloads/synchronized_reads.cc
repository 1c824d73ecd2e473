// SPDX-License-Identifier: GPL-2.0-only
#include "workloads/synchronized_reads.h"

#include "ns3/simulator.h"

using namespace ns3;

namespace windtunnel
{

SynchronizedReads::SynchronizedReads(const ReadSpec& spec, const TrafficContext& context)
    : m_spec(spec),
      m_segmentBytes(context.transport.segmentBytes),
      m_connections(context.connections),
      m_sources(spec.servers),
      m_missing(spec.servers),
      m_log{.bytesARound = uint64_t{spec.servers} * spec.sruBytes}
{
    m_connections.AddOnDelivery([this](uint32_t flow, uint32_t bytes) { Delivered(flow, bytes); });
    if (m_spec.newConnectionEachRound)
    {
        Simulator::Schedule(NanoSeconds(m_spec.gapNs), &SynchronizedReads::BeginRound, this);
        return;
    }
    // Spaced, so that even the smallest buffer takes every SYN.
    const uint32_t headerBytes = context.transport.HeaderBytes();
    OpenAll(context.topology.BaseRttNs(headerBytes, headerBytes) / 4);
}

void
SynchronizedReads::OpenAll(int64_t spacingNs)
{
    for (uint32_t flow = 0; flow < m_spec.servers; ++flow)
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
SynchronizedReads::Connected()
{
    if (++m_connected == m_spec.servers)
    {
        Simulator::Schedule(NanoSeconds(m_spec.gapNs), &SynchronizedReads::BeginRound, this);
    }
}

void
SynchronizedReads::BeginRound()
{
    const size_t round = m_log.rounds.size();
    m_log.rounds.push_back({Simulator::Now().GetNanoSeconds()});
    m_unfinished = m_spec.servers;
    for (uint32_t flow = 0; flow < m_spec.servers; ++flow)
    {
        m_missing[flow] = m_spec.sruBytes;
        m_connections.BeginRound(flow);
        const auto& jitter = m_connections.Planned().flows[flow].jitterNs;
        Simulator::ScheduleWithContext(m_connections.Sender(flow)->GetId(),
                                       NanoSeconds(jitter[round % jitter.size()]),
                                       [this, flow] { Send(flow); });
    }
}

void
SynchronizedReads::Send(uint32_t flow)
{
    if (m_spec.newConnectionEachRound)
    {
        auto socket = m_connections.Open(flow, [this, flow] { m_sources[flow]->Push(); });
        m_sources[flow] = std::make_unique<DataSource>(socket, m_segmentBytes);
        m_sources[flow]->CloseWhenSent();
    }
    m_sources[flow]->Offer(m_spec.sruBytes);
}

void
SynchronizedReads::Delivered(uint32_t flow, uint32_t bytes)
{
    m_missing[flow] -= bytes;
    if (m_missing[flow] > 0 || --m_unfinished > 0)
    {
        return;
    }
    m_log.rounds.back().endNs = Simulator::Now().GetNanoSeconds();
    if (m_spec.rounds == 0 || m_log.rounds.size() < m_spec.rounds)
    {
        Simulator::Schedule(NanoSeconds(m_spec.gapNs), &SynchronizedReads::BeginRound, this);
    }
}

} // namespace windtunnel
