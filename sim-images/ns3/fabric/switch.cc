// SPDX-License-Identifier: GPL-2.0-only
#include "fabric/switch.h"

#include <cstring>

namespace windtunnel
{

FlowKey::FlowKey(ns3::Ipv4Address source,
                 uint16_t sourcePort,
                 ns3::Ipv4Address destination,
                 uint16_t destinationPort)
{
    constexpr uint8_t TCP = 6;
    m_bytes[9] = TCP;
    source.Serialize(m_bytes.data() + 12);
    destination.Serialize(m_bytes.data() + 16);
    m_bytes[20] = sourcePort >> 8;
    m_bytes[21] = sourcePort & 0xff;
    m_bytes[22] = destinationPort >> 8;
    m_bytes[23] = destinationPort & 0xff;
}

std::array<uint64_t, 2>
FlowKey::Tuple() const
{
    std::array<uint64_t, 2> words{};
    std::memcpy(words.data(), m_bytes.data() + 12, 8);     // source and destination address
    std::memcpy(words.data() + 1, m_bytes.data() + 20, 4); // source and destination port
    return words;
}

std::vector<Egress*>
Switch::NextHops(const FlowKey& key) const
{
    const PortRange ways = m_router->NextHops(key);
    const auto begin = m_ports.begin() + ways.first;
    return {begin, begin + ways.count};
}

} // namespace windtunnel
