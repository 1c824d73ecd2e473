// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "ns3/tcp-congestion-ops.h"

namespace windtunnel
{

/**
 * HighSpeed TCP by the equations of RFC 3649, section 5, rather than by a table:
 *
 *     b(w) = (0.1 - 0.5) (log w - log 38) / (log 83000 - log 38) + 0.5
 *     p(w) = 0.078 / w^1.2
 *     a(w) = w^2 p(w) 2 b(w) / (2 - b(w))
 *
 * with a = 1, b = 0.5 up to 38 segments. ns-3's `highspeed` takes a(w) from the next row of the
 * RFC's table, as Linux does, so that its a(w) is too large between rows.
 */
class TcpHighSpeedRfc3649 : public ns3::TcpNewReno
{
  public:
    static ns3::TypeId GetTypeId();

    TcpHighSpeedRfc3649() = default;
    TcpHighSpeedRfc3649(const TcpHighSpeedRfc3649& other) = default;

    std::string GetName() const override;
    uint32_t GetSsThresh(ns3::Ptr<const ns3::TcpSocketState> tcb, uint32_t bytesInFlight) override;
    ns3::Ptr<ns3::TcpCongestionOps> Fork() override;

    /** a(w): segments of growth a round trip at a window of @p w segments. */
    static double Increase(double w);

    /** b(w): the share of the window that a loss takes. */
    static double Decrease(double w);

  protected:
    void CongestionAvoidance(ns3::Ptr<ns3::TcpSocketState> tcb, uint32_t segmentsAcked) override;

  private:
    double m_fraction{0}; ///< of a byte of growth that was left over
};

} // namespace windtunnel
