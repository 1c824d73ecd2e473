// SPDX-License-Identifier: GPL-2.0-only
#include "probes/tcp_probe.h"

#include "ns3/simulator.h"
#include "ns3/tcp-bbr.h"
#include "ns3/tcp-yeah.h"

#include <cmath>

using namespace ns3;

namespace windtunnel
{
namespace
{

/** ns-3's windows are whole numbers of 32 bits: this is where negative ones begin. */
bool
IsFarAbove(uint32_t bytes, uint32_t before)
{
    return bytes > before && bytes - before >= (1U << 31);
}

/**
 * Whether that is known of ns-3's own model: YeAH's threshold underflows where less than two segments
 * are in flight, and BBR saves and restores the threshold that ended a recovery, still the initial
 * one, as its window.
 */
bool
IsKnownToBeFarAbove(const TypeId& control)
{
    const auto is = [&control](const TypeId& type) {
        return control == type || control.IsChildOf(type);
    };
    return is(TcpYeah::GetTypeId()) || is(TcpBbr::GetTypeId());
}

} // namespace

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
    state.hasWindow = false;
    socket->TraceConnectWithoutContext(
        "CongestionWindow",
        Callback<void, uint32_t, uint32_t>(
            [this, flow, socket = PeekPointer(socket)](uint32_t before, uint32_t cwnd) {
                if (PeekPointer(m_states[flow].socket) == socket)
                {
                    CwndChanged(flow, before, cwnd);
                }
            }));
    socket->TraceConnectWithoutContext(
        "SlowStartThreshold",
        Callback<void, uint32_t, uint32_t>(
            [this, flow, socket = PeekPointer(socket)](uint32_t, uint32_t ssthresh) {
                if (PeekPointer(m_states[flow].socket) == socket)
                {
                    SsthreshChanged(flow, ssthresh);
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
    socket->TraceConnectWithoutContext(
        "CongState",
        Callback<void, TcpSocketState::TcpCongState_t, TcpSocketState::TcpCongState_t>(
            [this, flow](TcpSocketState::TcpCongState_t, TcpSocketState::TcpCongState_t now) {
                m_states[flow].fastRecoveries += now == TcpSocketState::CA_RECOVERY ? 1 : 0;
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
TcpProbe::CwndChanged(uint32_t flow, uint32_t before, uint32_t cwnd)
{
    State& state = m_states[flow];
    const int64_t nowNs = Simulator::Now().GetNanoSeconds();
    Account(state, nowNs);
    state.hasWindow = true;
    state.cwnd = cwnd;
    if (cwnd < m_floor.bytes)
    {
        m_floor = {cwnd, flow, nowNs};
    }
    const TcpSender& socket = *state.socket;
    const bool isFault =
        (cwnd == 0 && socket.IsOpen()) ||
        (IsFarAbove(cwnd, before) && !IsKnownToBeFarAbove(socket.CongestionControl()));
    if (isFault && cwnd != socket.Ssthresh()) // the socket sets that when a recovery ends
    {
        Blame(flow, "a congestion window of " + std::to_string(cwnd) + " B");
    }
}

void
TcpProbe::SsthreshChanged(uint32_t flow, uint32_t ssthresh)
{
    const State& state = m_states[flow];
    if (!state.hasWindow || ssthresh == state.socket->InitialSsthresh())
    {
        return;
    }
    const uint32_t segment = state.socket->SegmentBytes();
    const bool isTooSmall = state.cwnd >= segment && ssthresh < segment / 2;
    const bool isTooLarge = IsFarAbove(ssthresh, state.cwnd) &&
                            !IsKnownToBeFarAbove(state.socket->CongestionControl());
    if (isTooSmall || isTooLarge)
    {
        Blame(flow, "a slow start threshold of " + std::to_string(ssthresh) + " B");
    }
}

void
TcpProbe::Blame(uint32_t flow, const std::string& what)
{
    if (!m_fault)
    {
        m_fault = {what, flow, Simulator::Now().GetNanoSeconds()};
    }
}

void
TcpProbe::Ended(uint32_t flow)
{
    Account(m_states[flow], Simulator::Now().GetNanoSeconds());
    m_states[flow].hasWindow = false;
}

void
TcpProbe::Account(State& state, int64_t nowNs)
{
    if (state.hasWindow)
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
        state.fastRecoveriesAtWarmup = state.fastRecoveries;
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
    counters.fastRecoveries = state.fastRecoveries - state.fastRecoveriesAtWarmup;
    if (state.observedNs > 0)
    {
        counters.meanCwndBytes = state.cwndByteNs / static_cast<double>(state.observedNs);
    }
    return counters;
}

uint32_t
TcpProbe::CwndBytes(uint32_t flow) const
{
    return m_states[flow].hasWindow ? m_states[flow].cwnd : 0;
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
        if (state.hasWindow)
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
    if (sum == 0)
    {
        return 0;
    }
    const double mean = sum / windows;
    return std::sqrt(std::max(0.0, squares / windows - mean * mean)) / mean;
}

} // namespace windtunnel
