// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "ns3/tcp-congestion-ops.h"

namespace windtunnel
{

/**
 * General AIMD (Yang and Lam, ICNP 2000): the window grows by a segments per round trip and shrinks
 * to b of itself at a loss; a follows from b so that the mean rate at a given loss rate is Reno's.
 */
class TcpGaimd : public ns3::TcpNewReno
{
  public:
    static ns3::TypeId GetTypeId();
    std::string GetName() const override;
    void IncreaseWindow(ns3::Ptr<ns3::TcpSocketState> tcb, uint32_t segmentsAcked) override;
    uint32_t GetSsThresh(ns3::Ptr<const ns3::TcpSocketState> tcb, uint32_t bytesInFlight) override;
    ns3::Ptr<ns3::TcpCongestionOps> Fork() override;

  private:
    double m_beta{0};
    double m_earned{0}; // of a segment, in congestion avoidance
};

} // namespace windtunnel
