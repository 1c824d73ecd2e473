// SPDX-License-Identifier: GPL-2.0-only
#include "congestion/tcp_yeah_paper.h"

#include "congestion/catalogue.h"

#include "ns3/tcp-socket-state.h"
#include "ns3/uinteger.h"

#include <algorithm>

using namespace ns3;

namespace windtunnel
{

NS_OBJECT_ENSURE_REGISTERED(TcpYeahPaper);

namespace
{

const AlgorithmRegistration REGISTRATION({
    .name = "yeah-paper",
    .type = "windtunnel::TcpYeahPaper",
    .category = "hybrid",
    .summary = "YeAH with the paper's queueing delay threshold: slow mode above 1/Phy of the base "
               "RTT, not at any inflation as in ns-3. In fast mode the remainder of the count of "
               "acknowledged segments is kept, which ns-3 drops at every increase.",
    .formula = "fast: ACK: w += 1/min(w, StcpAiFactor); slow (queue > Alpha or (RTT - base)/base > 1/Phy): w += 1/w; "
               "queue > Alpha: w -= queue/Gamma",
    .source = "Baiocchi, Castellani and Vacirca, PFLDnet 2007",
    .attributes = {{"Alpha", {{"x-unit", "packets"}}}},
});

constexpr uint32_t MIN_SAMPLES = 3; // at least one of them not from a delayed ACK

} // namespace

TypeId
TcpYeahPaper::GetTypeId()
{
    static TypeId tid =
        TypeId("windtunnel::TcpYeahPaper")
            .SetParent<TcpNewReno>()
            .SetGroupName("Windtunnel")
            .AddConstructor<TcpYeahPaper>()
            .AddAttribute("Alpha",
                          "Backlog allowed at the bottleneck",
                          UintegerValue(80),
                          MakeUintegerAccessor(&TcpYeahPaper::m_alpha),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("Gamma",
                          "Decongestion reduces the window by the backlog divided by this",
                          UintegerValue(1),
                          MakeUintegerAccessor(&TcpYeahPaper::m_gamma),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("Delta",
                          "A loss reduces the window by at least 1/2^Delta of it",
                          UintegerValue(3),
                          MakeUintegerAccessor(&TcpYeahPaper::m_delta),
                          MakeUintegerChecker<uint32_t>(0, 31))
            .AddAttribute("Epsilon",
                          "Decongestion reduces the window by at most 1/2^Epsilon of it",
                          UintegerValue(1),
                          MakeUintegerAccessor(&TcpYeahPaper::m_epsilon),
                          MakeUintegerChecker<uint32_t>(0, 31))
            .AddAttribute("Phy",
                          "Slow mode starts at a queueing delay of 1/Phy of the base RTT",
                          UintegerValue(8),
                          MakeUintegerAccessor(&TcpYeahPaper::m_phy),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("Rho",
                          "Round trips in slow mode after which a loss indicates competition",
                          UintegerValue(16),
                          MakeUintegerAccessor(&TcpYeahPaper::m_rho),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("Zeta",
                          "Round trips in fast mode after which the estimate of a competing Reno "
                          "flow is reset",
                          UintegerValue(50),
                          MakeUintegerAccessor(&TcpYeahPaper::m_zeta),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("StcpAiFactor",
                          "Acknowledged segments per segment of growth in fast mode",
                          UintegerValue(100),
                          MakeUintegerAccessor(&TcpYeahPaper::m_scalableFactor),
                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

std::string
TcpYeahPaper::GetName() const
{
    return "TcpYeahPaper";
}

Ptr<TcpCongestionOps>
TcpYeahPaper::Fork()
{
    return CopyObject<TcpYeahPaper>(this);
}

void
TcpYeahPaper::PktsAcked(Ptr<TcpSocketState>, uint32_t, const Time& rtt)
{
    if (rtt.IsStrictlyPositive())
    {
        m_roundRtt = std::min(m_roundRtt, rtt);
        m_baseRtt = std::min(m_baseRtt, rtt);
        ++m_samples;
    }
}

void
TcpYeahPaper::IncreaseWindow(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked)
{
    Grow(tcb, segmentsAcked);
    if (tcb->m_lastAckedSeq >= m_roundEnd)
    {
        if (m_samples >= MIN_SAMPLES)
        {
            EndRound(tcb);
        }
        BeginRound(tcb);
    }
}

void
TcpYeahPaper::Grow(const Ptr<TcpSocketState>& tcb, uint32_t segmentsAcked)
{
    if (tcb->m_cWnd < tcb->m_ssThresh)
    {
        SlowStart(tcb, segmentsAcked);
    }
    else if (IsSlow())
    {
        CongestionAvoidance(tcb, segmentsAcked);
    }
    else
    {
        GrowScalable(tcb, segmentsAcked);
    }
}

void
TcpYeahPaper::GrowScalable(const Ptr<TcpSocketState>& tcb, uint32_t segmentsAcked)
{
    uint32_t window = tcb->GetCwndInSegments();
    m_acked += segmentsAcked;
    for (uint32_t needed = std::min(window, m_scalableFactor); m_acked >= needed && needed > 0;
         needed = std::min(window, m_scalableFactor))
    {
        m_acked -= needed;
        ++window;
    }
    if (window != tcb->GetCwndInSegments())
    {
        tcb->m_cWnd = window * tcb->m_segmentSize;
    }
}

void
TcpYeahPaper::EndRound(const Ptr<TcpSocketState>& tcb)
{
    const double base = m_baseRtt.GetSeconds();
    const double queueing = m_roundRtt.GetSeconds() - base;
    const uint32_t window = tcb->GetCwndInSegments();
    const auto queue = static_cast<uint32_t>(window / m_roundRtt.GetSeconds() * queueing);
    if (queue > m_alpha || queueing / base > 1.0 / m_phy)
    {
        if (queue > m_alpha && window > m_renoWindow)
        {
            Decongest(tcb, queue);
        }
        m_renoWindow = m_renoWindow <= 2 ? std::max(tcb->GetCwndInSegments() / 2, 2U)
                                         : m_renoWindow + 1;
        ++m_slowRounds;
    }
    else
    {
        if (++m_fastRounds > m_zeta)
        {
            m_renoWindow = 2;
            m_fastRounds = 0;
        }
        m_slowRounds = 0;
    }
    m_queue = queue;
}

void
TcpYeahPaper::Decongest(const Ptr<TcpSocketState>& tcb, uint32_t queue)
{
    const uint32_t window = tcb->GetCwndInSegments();
    const uint32_t reduction = std::min(queue / m_gamma, window >> m_epsilon);
    tcb->m_cWnd = std::max(window - reduction, m_renoWindow) * tcb->m_segmentSize;
    tcb->m_ssThresh = tcb->m_cWnd;
}

void
TcpYeahPaper::BeginRound(const Ptr<TcpSocketState>& tcb)
{
    m_roundEnd = tcb->m_nextTxSequence;
    m_roundRtt = Time::Max();
    m_samples = 0;
}

uint32_t
TcpYeahPaper::GetSsThresh(Ptr<const TcpSocketState> tcb, uint32_t bytesInFlight)
{
    const uint32_t inFlight = bytesInFlight / tcb->m_segmentSize;
    const uint32_t half = std::max(inFlight / 2, 2U);
    const bool competing = m_slowRounds >= m_rho;
    const uint32_t reduction =
        competing ? half : std::min(std::max(m_queue, inFlight >> m_delta), half);
    m_fastRounds = 0;
    m_renoWindow = std::max(m_renoWindow / 2, 2U);
    const uint32_t left = inFlight > reduction ? inFlight - reduction : 0;
    return std::max(left, 2U) * tcb->m_segmentSize;
}

void
TcpYeahPaper::CongestionStateSet(Ptr<TcpSocketState> tcb,
                                 const TcpSocketState::TcpCongState_t newState)
{
    if (newState == TcpSocketState::CA_OPEN)
    {
        BeginRound(tcb);
    }
}

} // namespace windtunnel
