// SPDX-License-Identifier: GPL-2.0-only
#include "congestion/tcp_compound.h"

#include "congestion/catalogue.h"

#include "ns3/double.h"
#include "ns3/tcp-socket-state.h"

#include <algorithm>
#include <cmath>

using namespace ns3;

namespace windtunnel
{

NS_OBJECT_ENSURE_REGISTERED(TcpCompound);

namespace
{

const AlgorithmRegistration REGISTRATION({
    .name = "compound",
    .type = "windtunnel::TcpCompound",
    .category = "hybrid",
    .summary = "Reno's window plus a delay-based window that grows fast while there is no queue.",
    .formula = "w = cwnd + dwnd; each RTT: dwnd += Alpha w^K - 1 if diff < Gamma, else "
               "dwnd -= Zeta diff; loss: w *= 1 - Beta",
    .source = "Tan, Song, Zhang and Sridharan, INFOCOM 2006",
    .attributes = {{"Gamma", {{"x-unit", "segments"}}}, {"LowWindow", {{"x-unit", "segments"}}}},
});

} // namespace

TypeId
TcpCompound::GetTypeId()
{
    static TypeId tid =
        TypeId("windtunnel::TcpCompound")
            .SetParent<TcpNewReno>()
            .SetGroupName("Windtunnel")
            .AddConstructor<TcpCompound>()
            .AddAttribute("Alpha",
                          "Gain of the delay window's growth",
                          DoubleValue(0.125),
                          MakeDoubleAccessor(&TcpCompound::m_alpha),
                          MakeDoubleChecker<double>(0, 100))
            .AddAttribute("Beta",
                          "Fraction by which a loss reduces the window",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&TcpCompound::m_beta),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("K",
                          "Exponent of the delay window's growth",
                          DoubleValue(0.75),
                          MakeDoubleAccessor(&TcpCompound::m_k),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("Zeta",
                          "How fast the delay window shrinks when there is a queue",
                          DoubleValue(1),
                          MakeDoubleAccessor(&TcpCompound::m_zeta),
                          MakeDoubleChecker<double>(0, 100))
            .AddAttribute("Gamma",
                          "Backlog at which the delay window starts to shrink",
                          DoubleValue(30),
                          MakeDoubleAccessor(&TcpCompound::m_gamma),
                          MakeDoubleChecker<double>(0, 1e6))
            .AddAttribute("LowWindow",
                          "The delay window does not change while the total window is below this",
                          DoubleValue(38),
                          MakeDoubleAccessor(&TcpCompound::m_lowWindow),
                          MakeDoubleChecker<double>(0, 1e6));
    return tid;
}

std::string
TcpCompound::GetName() const
{
    return "TcpCompound";
}

Ptr<TcpCongestionOps>
TcpCompound::Fork()
{
    return CopyObject<TcpCompound>(this);
}

void
TcpCompound::PktsAcked(Ptr<TcpSocketState> tcb, uint32_t, const Time&)
{
    const bool advances = tcb->m_lastAckedSeq > m_lastAcked;
    m_lastAcked = tcb->m_lastAckedSeq;
    const Time sample = tcb->m_lastRtt;
    if (advances && tcb->m_congState == TcpSocketState::CA_OPEN && sample.IsStrictlyPositive())
    {
        m_baseRtt = std::min(m_baseRtt, sample);
        m_roundRtt = std::min(m_roundRtt, sample);
    }
}

void
TcpCompound::IncreaseWindow(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked)
{
    if (segmentsAcked == 0)
    {
        return;
    }
    const double segment = tcb->m_segmentSize;
    if (m_cwnd == 0)
    {
        m_cwnd = tcb->m_cWnd / segment;
    }
    if (m_slowStart && Window() * segment >= tcb->m_ssThresh)
    {
        m_slowStart = false;
        BeginRound(tcb);
    }
    if (m_slowStart)
    {
        m_cwnd += 1;
    }
    else
    {
        if (m_awaitsFlight ? tcb->m_lastAckedSeq > m_roundEnd : tcb->m_lastAckedSeq >= m_roundEnd)
        {
            if (!m_awaitsFlight)
            {
                EndRound();
            }
            BeginRound(tcb);
        }
        m_cwnd += 1 / Window();
    }
    tcb->m_cWnd = static_cast<uint32_t>(std::lround(Window() * segment));
}

void
TcpCompound::BeginRound(const Ptr<TcpSocketState>& tcb)
{
    m_roundEnd = tcb->m_nextTxSequence;
    m_roundRtt = Time::Max();
    m_awaitsFlight = false;
}

void
TcpCompound::EndRound()
{
    if (m_roundRtt == Time::Max() || Window() < m_lowWindow)
    {
        return;
    }
    const double diff = Window() * (1 - m_baseRtt.GetSeconds() / m_roundRtt.GetSeconds());
    if (diff < m_gamma)
    {
        m_dwnd += std::max(m_alpha * std::pow(Window(), m_k) - 1, 0.0);
    }
    else
    {
        m_dwnd = std::max(m_dwnd - m_zeta * diff, 0.0);
    }
}

uint32_t
TcpCompound::GetSsThresh(Ptr<const TcpSocketState> tcb, uint32_t bytesInFlight)
{
    const double segment = tcb->m_segmentSize;
    if (m_cwnd == 0)
    {
        m_cwnd = tcb->m_cWnd / segment;
    }
    m_inFlightAtLoss = bytesInFlight;
    const double half = m_cwnd / 2;
    m_dwnd = std::max(Window() * (1 - m_beta) - half, 0.0);
    m_cwnd = std::max(half, 2 - m_dwnd);
    m_slowStart = false;
    m_reduced = true;
    m_roundEnd = tcb->m_nextTxSequence; // also where ECN reduces, without a change of state
    m_roundRtt = Time::Max();
    return static_cast<uint32_t>(std::lround(Window() * segment));
}

void
TcpCompound::CongestionStateSet(Ptr<TcpSocketState> tcb,
                                const TcpSocketState::TcpCongState_t newState)
{
    if (newState == TcpSocketState::CA_LOSS)
    {
        if (m_inFlightAtLoss) // the socket has just asked for ssthresh
        {
            tcb->m_ssThresh = std::max(2 * tcb->m_segmentSize, *m_inFlightAtLoss / 2);
        }
        m_cwnd = 1;
        m_dwnd = 0;
        m_slowStart = true;
    }
    else if (newState == TcpSocketState::CA_OPEN && m_reduced)
    {
        m_reduced = false; // after a loss, not after mere reordering
        BeginRound(tcb);
        // The next flight's first ACK would end a round of one sample: it begins the round.
        m_awaitsFlight = tcb->m_lastAckedSeq >= tcb->m_nextTxSequence.Get();
    }
    m_inFlightAtLoss.reset();
}

} // namespace windtunnel
