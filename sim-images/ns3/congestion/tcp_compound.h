// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "ns3/tcp-congestion-ops.h"

#include <optional>

namespace windtunnel
{

/**
 * Compound TCP (Tan, Song, Zhang and Sridharan, INFOCOM 2006): a delay-based window beside Reno's.
 *
 * The socket's one window carries win = cwnd + dwnd; both parts are held here, in segments. cwnd
 * grows by 1/win an ACK (section III.A); dwnd changes once a round trip, in congestion avoidance
 * and with win >= LowWindow: with diff = (win/baseRTT - win/RTT) baseRTT,
 *
 *     dwnd += max(alpha win^k - 1, 0)      diff < gamma
 *     dwnd  = max(dwnd - zeta diff, 0)     diff >= gamma
 *
 * and on loss dwnd = max(win (1 - beta) - cwnd/2, 0), cwnd /= 2 (equation 5). A timeout ends the
 * delay-based part: dwnd = 0. After a recovery one full round passes before dwnd changes.
 */
class TcpCompound : public ns3::TcpNewReno
{
  public:
    static ns3::TypeId GetTypeId();

    TcpCompound() = default;
    TcpCompound(const TcpCompound& other) = default;

    std::string GetName() const override;
    void PktsAcked(ns3::Ptr<ns3::TcpSocketState> tcb,
                   uint32_t segmentsAcked,
                   const ns3::Time& rtt) override;
    void IncreaseWindow(ns3::Ptr<ns3::TcpSocketState> tcb, uint32_t segmentsAcked) override;
    uint32_t GetSsThresh(ns3::Ptr<const ns3::TcpSocketState> tcb, uint32_t bytesInFlight) override;
    void CongestionStateSet(ns3::Ptr<ns3::TcpSocketState> tcb,
                            const ns3::TcpSocketState::TcpCongState_t newState) override;
    ns3::Ptr<ns3::TcpCongestionOps> Fork() override;

    /** The loss-based and the delay-based part, in segments. */
    double LossWindow() const
    {
        return m_cwnd;
    }

    double DelayWindow() const
    {
        return m_dwnd;
    }

  private:
    double Window() const
    {
        return m_cwnd + m_dwnd;
    }

    void BeginRound(const ns3::Ptr<ns3::TcpSocketState>& tcb);
    void EndRound();

    double m_alpha{0};
    double m_beta{0};
    double m_k{0};
    double m_zeta{0};
    double m_gamma{0};
    double m_lowWindow{0};

    double m_cwnd{0}; ///< 0 until the first ACK tells the initial window
    double m_dwnd{0};
    /** Not read off the windows: when dwnd shrinks, the sum falls under ssthresh by itself. */
    bool m_slowStart{true};
    bool m_reduced{false}; ///< a loss or mark has reduced the window, and the state is not open yet
    std::optional<uint32_t> m_inFlightAtLoss;
    ns3::SequenceNumber32 m_roundEnd{0};
    bool m_awaitsFlight{false}; ///< nothing was in flight as the recovery ended
    ns3::SequenceNumber32 m_lastAcked{0};
    ns3::Time m_baseRtt{ns3::Time::Max()};
    ns3::Time m_roundRtt{ns3::Time::Max()};
};

} // namespace windtunnel
