// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "ns3/tcp-socket-base.h"

#include <cstdint>
#include <limits>

namespace windtunnel
{

/**
 * Keeps a connection's send buffer full for as long as there is something to send.
 *
 * Data is handed over a segment at a time, so that only the last packet of a transfer is smaller.
 */
class DataSource
{
  public:
    static constexpr uint64_t WITHOUT_END = std::numeric_limits<uint64_t>::max();

    /** The socket is connected, or connecting, by its owner, who calls Push() when it is. */
    DataSource(ns3::Ptr<ns3::TcpSocketBase> socket, uint32_t segmentBytes);
    ~DataSource();
    DataSource(const DataSource&) = delete;
    DataSource& operator=(const DataSource&) = delete;

    /** @p bytes more are to be sent. */
    void Offer(uint64_t bytes);

    /** Close the connection behind the last byte. */
    void CloseWhenSent();

    /** Hand over what the socket has room for. */
    void Push();

  private:
    ns3::Ptr<ns3::TcpSocketBase> m_socket;
    uint32_t m_segmentBytes;
    uint64_t m_left{0};
    bool m_connected{false};
    bool m_closeWhenSent{false};
};

} // namespace windtunnel
