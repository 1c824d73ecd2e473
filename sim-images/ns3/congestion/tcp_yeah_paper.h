// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "ns3/tcp-congestion-ops.h"

namespace windtunnel
{

/**
 * YeAH-TCP (Baiocchi, Castellani and Vacirca, PFLDnet 2007), with the paper's test for slow mode:
 * queue > Alpha, or queueing delay / base RTT > 1/Phy.
 *
 * Two things tell it from ns-3's `yeah` at the same parameters. That one has `1 / m_phy` there, an
 * integer division that gives 0, so that any inflation of the round trip means slow mode. And in fast
 * mode it sets its count of acknowledged segments to zero at every increase, where this class keeps
 * the remainder: the paper's fast mode is Scalable TCP's, which grows by the same share for every
 * acknowledged segment. What else the paper leaves open is read as ns-3 reads it.
 */
class TcpYeahPaper : public ns3::TcpNewReno
{
  public:
    static ns3::TypeId GetTypeId();

    TcpYeahPaper() = default;
    TcpYeahPaper(const TcpYeahPaper& other) = default;

    std::string GetName() const override;
    void PktsAcked(ns3::Ptr<ns3::TcpSocketState> tcb,
                   uint32_t segmentsAcked,
                   const ns3::Time& rtt) override;
    void IncreaseWindow(ns3::Ptr<ns3::TcpSocketState> tcb, uint32_t segmentsAcked) override;
    uint32_t GetSsThresh(ns3::Ptr<const ns3::TcpSocketState> tcb, uint32_t bytesInFlight) override;
    void CongestionStateSet(ns3::Ptr<ns3::TcpSocketState> tcb,
                            const ns3::TcpSocketState::TcpCongState_t newState) override;
    ns3::Ptr<ns3::TcpCongestionOps> Fork() override;

    bool IsSlow() const
    {
        return m_slowRounds > 0;
    }

  private:
    void Grow(const ns3::Ptr<ns3::TcpSocketState>& tcb, uint32_t segmentsAcked);
    void GrowScalable(const ns3::Ptr<ns3::TcpSocketState>& tcb, uint32_t segmentsAcked);
    void EndRound(const ns3::Ptr<ns3::TcpSocketState>& tcb);
    void Decongest(const ns3::Ptr<ns3::TcpSocketState>& tcb, uint32_t queue);
    void BeginRound(const ns3::Ptr<ns3::TcpSocketState>& tcb);

    uint32_t m_alpha{0};
    uint32_t m_gamma{0};
    uint32_t m_delta{0};
    uint32_t m_epsilon{0};
    uint32_t m_phy{0};
    uint32_t m_rho{0};
    uint32_t m_zeta{0};
    uint32_t m_scalableFactor{0};

    ns3::Time m_baseRtt{ns3::Time::Max()};
    ns3::Time m_roundRtt{ns3::Time::Max()};
    uint32_t m_samples{0};
    ns3::SequenceNumber32 m_roundEnd{0};
    uint32_t m_queue{0};     ///< estimate of the last round, packets
    uint32_t m_slowRounds{0};
    uint32_t m_fastRounds{0};
    uint32_t m_renoWindow{2}; ///< what a competing Reno flow would have, segments
    uint32_t m_acked{0};      ///< segments towards the next scalable increase
};

} // namespace windtunnel
