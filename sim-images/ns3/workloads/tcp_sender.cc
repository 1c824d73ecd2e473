// SPDX-License-Identifier: GPL-2.0-only
#include "workloads/tcp_sender.h"

#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-tx-buffer.h"

using namespace ns3;

namespace windtunnel
{

NS_OBJECT_ENSURE_REGISTERED(TcpSender);

TypeId
TcpSender::GetTypeId()
{
    static TypeId tid = TypeId("windtunnel::TcpSender")
                            .SetParent<TcpSocketBase>()
                            .SetGroupName("Windtunnel")
                            .AddConstructor<TcpSender>();
    return tid;
}

TypeId
TcpSender::GetInstanceTypeId() const
{
    return GetTypeId();
}

TypeId
TcpSender::CongestionControl() const
{
    return m_congestionControl->GetInstanceTypeId();
}

void
TcpSender::ReTxTimeout()
{
    const bool established = m_state != CLOSED && m_state != TIME_WAIT && m_state != SYN_SENT;
    if (established && m_txBuffer->Size() > 0 && m_onTimeout)
    {
        m_onTimeout();
    }
    TcpSocketBase::ReTxTimeout();
}

} // namespace windtunnel
