// SPDX-License-Identifier: GPL-2.0-only
#include "probes/tcp_probe.h"

#include "ns3/simulator.h"

#include <cmath>

using namespace ns3;

namespace windtunnel
{

TcpProbe::TcpProbe(uint32_t flows)
    : m_states(flows)
{
}

void
TcpProbe::Observe(uint32_t flow, const Ptr<TcpSender>& socket)
{
    State& state = m_states[flow];
    Account(state, Simulator::Now().GetNanoSeconds());
    state.socket = socket;
    socket->TraceConnectWithoutContext(
        "CongestionWindow",
        Callback<void, uint32_t, uint32_t>([this, flow, socket = PeekPointer(socket)](uint32_t,
                                                                                    uint32_t cwnd) {
            if (PeekPointer(m_states[flow].socket) == socket)
            {
                CwndChanged(flow, cwnd);
            }
        }));
    socket->TraceConnectWithoutContext(
        "State",
        Callback<void, TcpSocket::TcpStates_t, TcpSocket::TcpStates_t>(
            [this, flow, socket = PeekPointer(socket)](TcpSocket::TcpStates_t,
                                                       TcpSocket::TcpStates_t now) {
                const bool done = now == TcpSocket::FIN_WAIT_2 || now == TcpSocket::TIME_WAIT ||
                                  now == TcpSocket::CLOSED;
                if (done && PeekPointer(m_states[flow].socket) == socket)
                {
                    Ended(flow);
                }
            }));
    socket->SetOnTimeout([this, flow] { ++m_states[flow].timeouts; });
    socket->TraceConnectWithoutContext(
        "Retransmission",
        Callback<void,
                 Ptr<const Packet>,
                 const TcpHeader&,
                 const Address&,
                 const Address&,
                 Ptr<const TcpSocketBase>>(
            [this, flow](Ptr<const Packet>,
                         const TcpHeader&,
                         const Address&,
                         const Address&,
                         Ptr<const TcpSocketBase>) { ++m_states[flow].retransmissions; }));
}

void
TcpProbe::CwndChanged(uint32_t flow, uint32_t cwnd)
{
    State& state = m_states[flow];
    const int64_t nowNs = Simulator::Now().GetNanoSeconds();
    Account(state, nowNs);
    state.cwnd = cwnd;
    if (cwnd < m_floor.bytes)
    {
        m_floor = {cwnd, flow, nowNs};
    }
}

void
TcpProbe::Ended(uint32_t flow)
{
    Account(m_states[flow], Simulator::Now().GetNanoSeconds());
    m_states[flow].cwnd = 0;
}

void
TcpProbe::Account(State& state, int64_t nowNs)
{
    if (state.cwnd > 0)
    {
        const int64_t elapsed = nowNs - state.cwndSinceNs;
        state.cwndByteNs += static_cast<double>(state.cwnd) * static_cast<double>(elapsed);
        state.observedNs += elapsed;
    }
    state.cwndSinceNs = nowNs;
}

void
TcpProbe::BeginMeasurement(int64_t nowNs)
{
    for (State& state : m_states)
    {
        state.cwndSinceNs = nowNs;
        state.cwndByteNs = 0;
        state.observedNs = 0;
        state.retransmissionsAtWarmup = state.retransmissions;
        state.timeoutsAtWarmup = state.timeouts;
    }
}

TcpCounters
TcpProbe::Since(uint32_t flow, int64_t nowNs) const
{
    State state = m_states[flow];
    Account(state, nowNs);
    TcpCounters counters;
    counters.retransmissions = state.retransmissions - state.retransmissionsAtWarmup;
    counters.timeouts = state.timeouts - state.timeoutsAtWarmup;
    if (state.observedNs > 0)
    {
        counters.meanCwndBytes = state.cwndByteNs / static_cast<double>(state.observedNs);
    }
    return counters;
}

uint32_t
TcpProbe::CwndBytes(uint32_t flow) const
{
    return m_states[flow].cwnd;
}

Time
TcpProbe::LastRtt(uint32_t flow) const
{
    return m_states[flow].socket ? m_states[flow].socket->LastRtt() : Time(0);
}

double
TcpProbe::WindowVariation() const
{
    double sum = 0;
    double squares = 0;
    uint32_t windows = 0;
    for (const State& state : m_states)
    {
        if (state.cwnd > 0)
        {
            const double cwnd = state.cwnd;
            sum += cwnd;
            squares += cwnd * cwnd;
            ++windows;
        }
    }
    if (windows < 2)
    {
        return -1;
    }
    const double mean = sum / windows;
    return std::sqrt(std::max(0.0, squares / windows - mean * mean)) / mean;
}

} // namespace windtunnel
