// SPDX-License-Identifier: GPL-2.0-only
#include "congestion/tcp_veno_paper.h"

#include "congestion/catalogue.h"

#include "ns3/tcp-socket-state.h"
#include "ns3/uinteger.h"

#include <algorithm>

using namespace ns3;

namespace windtunnel
{

NS_OBJECT_ENSURE_REGISTERED(TcpVenoPaper);

namespace
{

const AlgorithmRegistration REGISTRATION({
    .name = "veno-paper",
    .type = "windtunnel::TcpVenoPaper",
    .category = "hybrid",
    .summary = "Veno with the backlog estimated once per round trip, as in the paper, not at "
               "every ACK as in ns-3. A loss is judged by the estimate of the last whole round.",
    .formula = "N = w (1 - baseRTT/RTT); ACK: w += 1/w, every other one if N >= Beta; loss: "
               "w *= 4/5 if N < Beta, else 1/2",
    .source = "Fu and Liew, JSAC 21(2), 2003",
    .attributes = {{"Beta", {{"x-unit", "packets"}}}},
});

constexpr uint32_t MIN_SAMPLES = 3; // at least one of them not from a delayed ACK

} // namespace

TypeId
TcpVenoPaper::GetTypeId()
{
    static TypeId tid =
        TypeId("windtunnel::TcpVenoPaper")
            .SetParent<TcpNewReno>()
            .SetGroupName("Windtunnel")
            .AddConstructor<TcpVenoPaper>()
            .AddAttribute("Beta",
                          "Backlog from which on the bandwidth is considered fully used",
                          UintegerValue(3),
                          MakeUintegerAccessor(&TcpVenoPaper::m_beta),
                          MakeUintegerChecker<uint32_t>());
    return tid;
}

std::string
TcpVenoPaper::GetName() const
{
    return "TcpVenoPaper";
}

Ptr<TcpCongestionOps>
TcpVenoPaper::Fork()
{
    return CopyObject<TcpVenoPaper>(this);
}

void
TcpVenoPaper::PktsAcked(Ptr<TcpSocketState>, uint32_t, const Time& rtt)
{
    if (rtt.IsStrictlyPositive())
    {
        m_roundRtt = std::min(m_roundRtt, rtt);
        m_baseRtt = std::min(m_baseRtt, rtt);
        ++m_samples;
    }
}

void
TcpVenoPaper::IncreaseWindow(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked)
{
    if (tcb->m_lastAckedSeq >= m_roundEnd)
    {
        if (m_samples >= MIN_SAMPLES)
        {
            const double ratio = m_baseRtt.GetSeconds() / m_roundRtt.GetSeconds();
            m_backlog = tcb->GetCwndInSegments() * (1 - ratio);
        }
        BeginRound(tcb);
    }
    const bool avoids = tcb->m_cWnd >= tcb->m_ssThresh;
    const bool fullyUsed = m_backlog >= m_beta;
    const bool open = tcb->m_congState == TcpSocketState::CA_OPEN;
    if (avoids && fullyUsed && open && !m_skipped)
    {
        m_skipped = true;
        return;
    }
    m_skipped = false;
    TcpNewReno::IncreaseWindow(tcb, segmentsAcked);
}

void
TcpVenoPaper::BeginRound(const Ptr<TcpSocketState>& tcb)
{
    m_roundEnd = tcb->m_nextTxSequence;
    m_roundRtt = Time::Max();
    m_samples = 0;
}

uint32_t
TcpVenoPaper::GetSsThresh(Ptr<const TcpSocketState> tcb, uint32_t bytesInFlight)
{
    if (m_backlog >= m_beta)
    {
        return TcpNewReno::GetSsThresh(tcb, bytesInFlight);
    }
    return std::max(bytesInFlight / 5 * 4, 2 * tcb->m_segmentSize);
}

void
TcpVenoPaper::CongestionStateSet(Ptr<TcpSocketState> tcb,
                                 const TcpSocketState::TcpCongState_t newState)
{
    if (newState == TcpSocketState::CA_OPEN)
    {
        BeginRound(tcb);
    }
}

} // namespace windtunnel
