// SPDX-License-Identifier: GPL-2.0-only
#include "congestion/tcp_dc_vegas.h"

#include "congestion/catalogue.h"

#include "ns3/double.h"
#include "ns3/tcp-socket-state.h"

#include <algorithm>
#include <cmath>

using namespace ns3;

namespace windtunnel
{

NS_OBJECT_ENSURE_REGISTERED(TcpDcVegas);

namespace
{

constexpr double FLOOR = 2; // segments

const AlgorithmRegistration REGISTRATION({
    .name = "dcvegas",
    .type = "windtunnel::TcpDcVegas",
    .category = "delay-based",
    .summary = "Vegas for data centers: slow start by 1.5 segments per ACK, and window changes "
               "that depend on the estimated backlog.",
    .formula = "each RTT, delta = w (1 - baseRTT/RTT): w += (Beta - delta) succ if delta < Alpha; "
               "w -= delta - (Alpha + Beta)/2 if delta > Beta",
    .source = "Chan and Chang, A Delay-Based TCP for Data Center Networks",
    .attributes = {{"Alpha", {{"x-unit", "segments"}}},
                   {"Beta", {{"x-unit", "segments"}}},
                   {"Gamma", {{"x-unit", "segments"}}},
                   {"SlowStartGain", {{"x-unit", "segments per ACK"}}}},
    .constraints = {{{"path", "transport.timestamps"},
                     {"require", "!transport.timestamps || topology.kind == 'dumbbell'"},
                     {"message",
                      "dcvegas needs round trips finer than the whole milliseconds that ns-3's "
                      "timestamps give; set false"}}},
});

} // namespace

TypeId
TcpDcVegas::GetTypeId()
{
    static TypeId tid =
        TypeId("windtunnel::TcpDcVegas")
            .SetParent<TcpNewReno>()
            .SetGroupName("Windtunnel")
            .AddConstructor<TcpDcVegas>()
            .AddAttribute("Alpha",
                          "Backlog below which the window grows, faster with each successive "
                          "increase",
                          DoubleValue(1),
                          MakeDoubleAccessor(&TcpDcVegas::m_alpha),
                          MakeDoubleChecker<double>(0, 1e6))
            .AddAttribute("Beta",
                          "Backlog above which the window shrinks",
                          DoubleValue(2),
                          MakeDoubleAccessor(&TcpDcVegas::m_beta),
                          MakeDoubleChecker<double>(0, 1e6))
            .AddAttribute("Gamma",
                          "Backlog at which slow start ends",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&TcpDcVegas::m_gamma),
                          MakeDoubleChecker<double>(0, 1e6))
            .AddAttribute("SlowStartGain",
                          "Growth of the window in slow start",
                          DoubleValue(1.5),
                          MakeDoubleAccessor(&TcpDcVegas::m_slowStartGain),
                          MakeDoubleChecker<double>(0, 100));
    return tid;
}

std::string
TcpDcVegas::GetName() const
{
    return "TcpDcVegas";
}

Ptr<TcpCongestionOps>
TcpDcVegas::Fork()
{
    return CopyObject<TcpDcVegas>(this);
}

void
TcpDcVegas::PktsAcked(Ptr<TcpSocketState> tcb, uint32_t, const Time&)
{
    const bool advances = tcb->m_lastAckedSeq > m_lastAcked;
    m_lastAcked = tcb->m_lastAckedSeq;
    const Time sample = tcb->m_lastRtt;
    if (advances && tcb->m_congState == TcpSocketState::CA_OPEN && sample.IsStrictlyPositive())
    {
        m_baseRtt = std::min(m_baseRtt, sample);
        m_rttSum += sample;
        ++m_samples;
    }
}

double
TcpDcVegas::Delta() const
{
    const double rtt = m_rttSum.GetSeconds() / m_samples;
    return m_window * (1 - m_baseRtt.GetSeconds() / rtt);
}

void
TcpDcVegas::IncreaseWindow(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked)
{
    const double segment = tcb->m_segmentSize;
    if (tcb->m_cWnd != m_written)
    {
        m_window = tcb->m_cWnd / segment;
        m_slowStart = tcb->m_cWnd < tcb->m_ssThresh;
    }
    m_leavesSlowStart = false;
    if (tcb->m_congState == TcpSocketState::CA_OPEN && m_samples > 0 &&
        tcb->m_lastAckedSeq >= m_evaluateAt)
    {
        Evaluate(Delta());
        ForgetRound(tcb);
    }
    if (m_slowStart && m_window * segment >= tcb->m_ssThresh)
    {
        m_slowStart = false; // grown to what a loss had set
    }
    if (segmentsAcked > 0 && !m_leavesSlowStart)
    {
        m_window += GrowthPerAck(tcb);
    }
    tcb->m_cWnd = static_cast<uint32_t>(std::lround(m_window * segment));
    m_written = tcb->m_cWnd;
    if (!m_slowStart)
    {
        // Follows the window down, so that slow start never returns without a loss.
        tcb->m_ssThresh = std::min(tcb->m_ssThresh.Get(), m_written);
    }
}

double
TcpDcVegas::GrowthPerAck(const Ptr<TcpSocketState>& tcb) const
{
    if (m_slowStart)
    {
        return m_slowStartGain;
    }
    return tcb->m_congState == TcpSocketState::CA_LOSS ? 1 / m_window : m_increment;
}

void
TcpDcVegas::Evaluate(double delta)
{
    if (m_slowStart)
    {
        EvaluateSlowStart(delta);
    }
    else
    {
        EvaluateAvoidance(delta);
    }
}

void
TcpDcVegas::EvaluateSlowStart(double delta)
{
    if (delta > m_gamma)
    {
        m_slowStart = false;
        m_leavesSlowStart = true; // the window stays on this ACK, and until the next evaluation
        m_succ = 0;
        m_increment = 0;
    }
}

void
TcpDcVegas::EvaluateAvoidance(double delta)
{
    const double mid = (m_alpha + m_beta) / 2;
    if (delta < m_alpha)
    {
        ++m_succ;
        m_increment = std::min((m_beta - delta) * m_succ / m_window, 1.0);
        return;
    }
    m_succ = 0;
    m_increment = 0;
    if (delta < mid)
    {
        m_increment = 1 / m_window;
    }
    else if (delta > mid)
    {
        m_window = std::max(FLOOR, m_window - (delta > m_beta ? delta - mid : 1));
    }
}

void
TcpDcVegas::ForgetRound(const Ptr<TcpSocketState>& tcb)
{
    m_evaluateAt = tcb->m_nextTxSequence;
    m_rttSum = Time(0);
    m_samples = 0;
}

uint32_t
TcpDcVegas::GetSsThresh(Ptr<const TcpSocketState> tcb, uint32_t bytesInFlight)
{
    return std::max(2 * tcb->m_segmentSize, bytesInFlight / 2);
}

void
TcpDcVegas::CongestionStateSet(Ptr<TcpSocketState> tcb,
                               const TcpSocketState::TcpCongState_t newState)
{
    const bool lost =
        newState == TcpSocketState::CA_RECOVERY || newState == TcpSocketState::CA_LOSS;
    if (lost)
    {
        m_succ = 0;
        m_increment = 0;
    }
    if (lost || (newState == TcpSocketState::CA_OPEN && m_lost))
    {
        ForgetRound(tcb);
    }
    m_lost = lost || (m_lost && newState != TcpSocketState::CA_OPEN);
    if (newState == TcpSocketState::CA_LOSS)
    {
        m_slowStart = true;
    }
}

} // namespace windtunnel
