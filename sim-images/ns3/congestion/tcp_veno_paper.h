// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "ns3/tcp-congestion-ops.h"

namespace windtunnel
{

/**
 * TCP Veno (Fu and Liew, JSAC 21(2), 2003) with its backlog estimated once a round trip.
 *
 * N = w (1 - baseRTT/RTT), RTT the smallest of the round. In avoidance the window grows by 1/w at
 * every ACK while N < Beta, else at every other one; a loss with N < Beta is taken for a random one
 * and costs a fifth, not a half. A loss is judged by the N of the last whole round, not by the window
 * and round trip at the loss. ns-3's `veno` resets its counter and smallest RTT at every ACK while
 * its branch asks for more than two samples, so that it grows as NewReno does.
 */
class TcpVenoPaper : public ns3::TcpNewReno
{
  public:
    static ns3::TypeId GetTypeId();

    TcpVenoPaper() = default;
    TcpVenoPaper(const TcpVenoPaper& other) = default;

    std::string GetName() const override;
    void PktsAcked(ns3::Ptr<ns3::TcpSocketState> tcb,
                   uint32_t segmentsAcked,
                   const ns3::Time& rtt) override;
    void IncreaseWindow(ns3::Ptr<ns3::TcpSocketState> tcb, uint32_t segmentsAcked) override;
    uint32_t GetSsThresh(ns3::Ptr<const ns3::TcpSocketState> tcb, uint32_t bytesInFlight) override;
    void CongestionStateSet(ns3::Ptr<ns3::TcpSocketState> tcb,
                            const ns3::TcpSocketState::TcpCongState_t newState) override;
    ns3::Ptr<ns3::TcpCongestionOps> Fork() override;

    /** Estimate of the last round with enough samples, packets. */
    double Backlog() const
    {
        return m_backlog;
    }

  private:
    void BeginRound(const ns3::Ptr<ns3::TcpSocketState>& tcb);

    uint32_t m_beta{0};
    ns3::Time m_baseRtt{ns3::Time::Max()};
    ns3::Time m_roundRtt{ns3::Time::Max()};
    uint32_t m_samples{0};
    ns3::SequenceNumber32 m_roundEnd{0};
    double m_backlog{0};
    bool m_skipped{false}; ///< whether the last ACK was the one of two that grows nothing
};

} // namespace windtunnel
