// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workloads/schedule.h"

#include "ns3/tcp-socket-base.h"

#include <cstdint>
#include <vector>

namespace windtunnel
{

/**
 * Offers one segment every segment / rate while its flow is on.
 *
 * The instants of an on period are begin + i * interval for i = 1, 2, ... before its end. A segment
 * that the socket has no room for is kept and offered again at the next instant; nothing piles up
 * (ns-3's OnOffApplication behaves so; its own instants depend on when the connection succeeded,
 * which would break common random numbers).
 */
class OnOffSource
{
  public:
    OnOffSource(ns3::Ptr<ns3::TcpSocketBase> socket,
                uint32_t segmentBytes,
                uint64_t rateBps,
                std::vector<OnPeriod> periods);

    /** Schedule the first offer. The socket is connected, or connecting, by its owner. */
    void Start();

  private:
    void ScheduleNext();
    void Offer();

    ns3::Ptr<ns3::TcpSocketBase> m_socket;
    uint32_t m_segmentBytes;
    uint64_t m_rateBps;
    std::vector<OnPeriod> m_periods;
    size_t m_period{0};
    uint64_t m_offer{0}; ///< index of the next instant in the current period, from 1
};

} // namespace windtunnel
