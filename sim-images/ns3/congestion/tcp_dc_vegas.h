// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "ns3/tcp-congestion-ops.h"

namespace windtunnel
{

/**
 * DCVegas (Chan and Chang, A Delay-Based TCP for Data Center Networks): Vegas with a faster slow
 * start and a window that moves by the estimated backlog delta instead of by one.
 *
 * Once a round trip delta = w (1 - baseRTT/RTT), with the mean of the raw samples since the last
 * evaluation (equation 1). Slow start adds 1.5 segments an ACK (equation 5) until delta > gamma.
 * In avoidance, with mid = (alpha + beta)/2:
 *
 *     delta < alpha           succ += 1, and w grows by (beta - delta) succ over the round trip,
 *                             at most doubling (equation 6)
 *     alpha <= delta < mid    w grows by 1/w an ACK
 *     mid < delta <= beta     w -= 1
 *     delta > beta            w -= delta - mid (equation 7)
 *
 * On loss it does as NewReno: in the recovery from a timeout, too, the window grows by 1/w an ACK
 * once it has reached ssthresh. Windows are in segments, as floating point.
 */
class TcpDcVegas : public ns3::TcpNewReno
{
  public:
    static ns3::TypeId GetTypeId();

    TcpDcVegas() = default;
    TcpDcVegas(const TcpDcVegas& other) = default;

    std::string GetName() const override;
    void PktsAcked(ns3::Ptr<ns3::TcpSocketState> tcb,
                   uint32_t segmentsAcked,
                   const ns3::Time& rtt) override;
    void IncreaseWindow(ns3::Ptr<ns3::TcpSocketState> tcb, uint32_t segmentsAcked) override;
    uint32_t GetSsThresh(ns3::Ptr<const ns3::TcpSocketState> tcb, uint32_t bytesInFlight) override;
    void CongestionStateSet(ns3::Ptr<ns3::TcpSocketState> tcb,
                            const ns3::TcpSocketState::TcpCongState_t newState) override;
    ns3::Ptr<ns3::TcpCongestionOps> Fork() override;

    double WindowSegments() const
    {
        return m_window;
    }

  private:
    void ForgetRound(const ns3::Ptr<ns3::TcpSocketState>& tcb);
    double GrowthPerAck(const ns3::Ptr<ns3::TcpSocketState>& tcb) const;
    double Delta() const;
    void Evaluate(double delta);
    void EvaluateSlowStart(double delta);
    void EvaluateAvoidance(double delta);

    double m_alpha{0};
    double m_beta{0};
    double m_gamma{0};
    double m_slowStartGain{0};

    double m_window{0};
    uint32_t m_written{0}; ///< the socket's window as last written; another value is the socket's own
    bool m_slowStart{true};
    bool m_leavesSlowStart{false};
    bool m_lost{false}; ///< in recovery or after a timeout; reordering is none of these
    uint32_t m_succ{0};
    double m_increment{0}; ///< segments an ACK
    ns3::SequenceNumber32 m_evaluateAt{0};
    ns3::SequenceNumber32 m_lastAcked{0};
    ns3::Time m_baseRtt{ns3::Time::Max()};
    ns3::Time m_rttSum;
    uint32_t m_samples{0};
};

} // namespace windtunnel
