// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "ns3/tcp-socket-base.h"

namespace windtunnel
{

/**
 * ns-3's TCP socket, with its state readable and its retransmission timeouts counted.
 *
 * It does nothing that TcpSocketBase does not do.
 */
class TcpSender : public ns3::TcpSocketBase
{
  public:
    static ns3::TypeId GetTypeId();
    ns3::TypeId GetInstanceTypeId() const override;

    uint32_t CwndBytes() const
    {
        return m_tcb->m_cWnd;
    }

    /** The last sample; zero before the first. */
    ns3::Time LastRtt() const
    {
        return m_tcb->m_lastRtt;
    }

    /** Timeouts of data; those of SYN and FIN are not counted. */
    uint32_t Timeouts() const
    {
        return m_timeouts;
    }

  protected:
    void ReTxTimeout() override;

  private:
    uint32_t m_timeouts{0};
};

} // namespace windtunnel
