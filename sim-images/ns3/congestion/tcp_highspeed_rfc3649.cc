// SPDX-License-Identifier: GPL-2.0-only
#include "congestion/tcp_highspeed_rfc3649.h"

#include "congestion/catalogue.h"

#include "ns3/tcp-socket-state.h"

#include <algorithm>
#include <cmath>

using namespace ns3;

namespace windtunnel
{

NS_OBJECT_ENSURE_REGISTERED(TcpHighSpeedRfc3649);

namespace
{

const AlgorithmRegistration REGISTRATION({
    .name = "highspeed-rfc3649",
    .type = "windtunnel::TcpHighSpeedRfc3649",
    .category = "loss-based",
    .summary = "HighSpeed with the RFC's equations instead of ns-3's table, which is one row "
               "ahead.",
    .formula = "ACK: w += a(w)/w; loss: w *= 1 - b(w); a, b from equations with 38, 83000, 0.1",
    .source = "RFC 3649, section 5",
});

// RFC 3649's Low_Window, High_Window and High_Decrease.
constexpr double LOW_WINDOW = 38;
constexpr double HIGH_WINDOW = 83000;
constexpr double HIGH_DECREASE = 0.1;

} // namespace

TypeId
TcpHighSpeedRfc3649::GetTypeId()
{
    static TypeId tid = TypeId("windtunnel::TcpHighSpeedRfc3649")
                            .SetParent<TcpNewReno>()
                            .SetGroupName("Windtunnel")
                            .AddConstructor<TcpHighSpeedRfc3649>();
    return tid;
}

std::string
TcpHighSpeedRfc3649::GetName() const
{
    return "TcpHighSpeedRfc3649";
}

Ptr<TcpCongestionOps>
TcpHighSpeedRfc3649::Fork()
{
    return CopyObject<TcpHighSpeedRfc3649>(this);
}

double
TcpHighSpeedRfc3649::Decrease(double w)
{
    if (w <= LOW_WINDOW)
    {
        return 0.5;
    }
    const double position = std::log(w / LOW_WINDOW) / std::log(HIGH_WINDOW / LOW_WINDOW);
    return std::max(HIGH_DECREASE, (HIGH_DECREASE - 0.5) * position + 0.5);
}

double
TcpHighSpeedRfc3649::Increase(double w)
{
    if (w <= LOW_WINDOW)
    {
        return 1;
    }
    const double p = 0.078 / std::pow(w, 1.2);
    const double b = Decrease(w);
    return w * w * p * 2 * b / (2 - b);
}

void
TcpHighSpeedRfc3649::CongestionAvoidance(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked)
{
    const double segment = tcb->m_segmentSize;
    const double w = tcb->m_cWnd / segment;
    const double growth = m_fraction + segmentsAcked * Increase(w) / w * segment;
    const double whole = std::floor(growth);
    m_fraction = growth - whole;
    tcb->m_cWnd = tcb->m_cWnd + static_cast<uint32_t>(whole);
}

uint32_t
TcpHighSpeedRfc3649::GetSsThresh(Ptr<const TcpSocketState> tcb, uint32_t bytesInFlight)
{
    const double w = static_cast<double>(bytesInFlight) / tcb->m_segmentSize;
    const auto left = static_cast<uint32_t>(bytesInFlight * (1 - Decrease(w)));
    return std::max(left, 2 * tcb->m_segmentSize);
}

} // namespace windtunnel
