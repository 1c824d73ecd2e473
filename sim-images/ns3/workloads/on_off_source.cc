// SPDX-License-Identifier: GPL-2.0-only
#include "workloads/on_off_source.h"

#include "ns3/packet.h"
#include "ns3/simulator.h"

using namespace ns3;

namespace windtunnel
{

OnOffSource::OnOffSource(Ptr<TcpSocketBase> socket,
                         uint32_t segmentBytes,
                         uint64_t rateBps,
                         std::vector<OnPeriod> periods)
    : m_socket(std::move(socket)),
      m_segmentBytes(segmentBytes),
      m_rateBps(rateBps),
      m_periods(std::move(periods))
{
}

void
OnOffSource::Start()
{
    m_offer = 1;
    ScheduleNext();
}

void
OnOffSource::ScheduleNext()
{
    for (; m_period < m_periods.size(); ++m_period, m_offer = 1)
    {
        const OnPeriod& period = m_periods[m_period];
        const auto bits = static_cast<__uint128_t>(m_segmentBytes) * 8 * m_offer;
        const auto sinceBegin = static_cast<int64_t>(bits * 1'000'000'000 / m_rateBps);
        const int64_t at = period.beginNs + sinceBegin;
        if (at < period.endNs)
        {
            Simulator::Schedule(NanoSeconds(at) - Simulator::Now(), &OnOffSource::Offer, this);
            return;
        }
    }
}

void
OnOffSource::Offer()
{
    if (m_socket->GetTxAvailable() >= m_segmentBytes)
    {
        m_socket->Send(Create<Packet>(m_segmentBytes), 0);
    }
    ++m_offer;
    ScheduleNext();
}

} // namespace windtunnel
