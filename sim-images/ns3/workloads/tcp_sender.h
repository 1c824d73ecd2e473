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

    uint32_t SegmentBytes() const
    {
        return m_tcb->m_segmentSize;
    }

    uint32_t Ssthresh() const
    {
        return m_tcb->m_ssThresh;
    }

    /** The threshold that the connection began with, which may be any. */
    uint32_t InitialSsthresh() const
    {
        return m_tcb->m_initialSsThresh;
    }

    /** Neither in a recovery nor reducing the window at a mark. */
    bool IsOpen() const
    {
        return m_tcb->m_congState == ns3::TcpSocketState::CA_OPEN;
    }

    ns3::TypeId CongestionControl() const;

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
