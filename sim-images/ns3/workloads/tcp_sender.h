// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "ns3/tcp-socket-base.h"

#include <functional>

namespace windtunnel
{

/**
 * ns-3's TCP socket, with its state readable and its retransmission timeouts callback.
 *
 * It does nothing that TcpSocketBase does not do.
 */
class TcpSender : public ns3::TcpSocketBase
{
  public:
    static ns3::TypeId GetTypeId();
    ns3::TypeId GetInstanceTypeId() const override;

    /** The last sample; zero before the first. */
    ns3::Time LastRtt() const
    {
        return m_tcb->m_lastRtt;
    }

    /** Told of every retransmission timeout of data; those of SYN and FIN do not count. */
    void SetOnTimeout(std::function<void()> onTimeout)
    {
        m_onTimeout = std::move(onTimeout);
    }

  protected:
    void ReTxTimeout() override;

  private:
    std::function<void()> m_onTimeout;
};

} // namespace windtunnel
