// SPDX-License-Identifier: GPL-2.0-only
#include "workloads/data_source.h"

#include "ns3/packet.h"

#include <algorithm>

using namespace ns3;

namespace windtunnel
{

DataSource::DataSource(Ptr<TcpSocketBase> socket, uint32_t segmentBytes)
    : m_socket(std::move(socket)),
      m_segmentBytes(segmentBytes)
{
    m_socket->SetSendCallback(
        Callback<void, Ptr<Socket>, uint32_t>([this](Ptr<Socket>, uint32_t) {
            if (m_connected)
            {
                Push();
            }
        }));
}

DataSource::~DataSource()
{
    // A socket that is still closing must not call what is no longer there.
    m_socket->SetSendCallback(MakeNullCallback<void, Ptr<Socket>, uint32_t>());
}

void
DataSource::Offer(uint64_t bytes)
{
    m_left = bytes == WITHOUT_END ? WITHOUT_END : m_left + bytes;
    if (m_connected)
    {
        Push();
    }
}

void
DataSource::CloseWhenSent()
{
    m_closeWhenSent = true;
}

void
DataSource::Push()
{
    m_connected = true;
    while (m_left > 0)
    {
        const auto chunk = static_cast<uint32_t>(std::min<uint64_t>(m_left, m_segmentBytes));
        if (m_socket->GetTxAvailable() < chunk || m_socket->Send(Create<Packet>(chunk), 0) < 0)
        {
            return;
        }
        if (m_left != WITHOUT_END)
        {
            m_left -= chunk;
        }
    }
    if (m_closeWhenSent)
    {
        m_closeWhenSent = false;
        m_socket->Close();
    }
}

} // namespace windtunnel
