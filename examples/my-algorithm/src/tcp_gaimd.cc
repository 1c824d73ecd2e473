// SPDX-License-Identifier: GPL-2.0-only
#include "tcp_gaimd.h"

#include "congestion/catalogue.h"

#include "ns3/double.h"
#include "ns3/tcp-socket-state.h"

#include <algorithm>

using namespace ns3;

namespace windtunnel
{

NS_OBJECT_ENSURE_REGISTERED(TcpGaimd);

namespace
{

const AlgorithmRegistration REGISTRATION({
    .name = "gaimd",
    .type = "windtunnel::TcpGaimd",
    .category = "loss-based",
    .summary = "General AIMD with Reno's mean rate and smaller steps.",
    .formula = "each RTT: w += 4 (1 - Beta^2) / 3; loss: w *= Beta",
    .source = "Yang and Lam, ICNP 2000",
    .attributes = {{"Beta", {{"x-unit", "fraction of the window"}}}},
});

} // namespace

TypeId
TcpGaimd::GetTypeId()
{
    static TypeId tid = TypeId("windtunnel::TcpGaimd")
                            .SetParent<TcpNewReno>()
                            .AddConstructor<TcpGaimd>()
                            .AddAttribute("Beta",
                                          "Share of the window that is kept at a loss",
                                          DoubleValue(0.875),
                                          MakeDoubleAccessor(&TcpGaimd::m_beta),
                                          MakeDoubleChecker<double>(0.5, 0.99));
    return tid;
}

std::string
TcpGaimd::GetName() const
{
    return "TcpGaimd";
}

void
TcpGaimd::IncreaseWindow(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked)
{
    if (tcb->m_cWnd < tcb->m_ssThresh)
    {
        segmentsAcked = SlowStart(tcb, segmentsAcked);
    }
    if (tcb->m_cWnd >= tcb->m_ssThresh && segmentsAcked > 0)
    {
        const double alpha = 4 * (1 - m_beta * m_beta) / 3;
        m_earned += alpha * segmentsAcked * tcb->m_segmentSize / tcb->m_cWnd.Get();
        const auto segments = static_cast<uint32_t>(m_earned);
        m_earned -= segments;
        tcb->m_cWnd += segments * tcb->m_segmentSize;
    }
}

uint32_t
TcpGaimd::GetSsThresh(Ptr<const TcpSocketState> tcb, uint32_t bytesInFlight)
{
    const auto kept = static_cast<uint32_t>(m_beta * bytesInFlight);
    return std::max(kept, 2 * tcb->m_segmentSize);
}

Ptr<TcpCongestionOps>
TcpGaimd::Fork()
{
    return CopyObject<TcpGaimd>(this);
}

} // namespace windtunnel
