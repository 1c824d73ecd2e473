// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "fabric/switch.h"

#include "ns3/ipv4-address.h"

namespace windtunnel
{

/** Addresses of topologies without structure: host h is 10.0.0.0 + h + 1. */
inline ns3::Ipv4Address
AddressOfHost(uint32_t host)
{
    return ns3::Ipv4Address((10U << 24) + host + 1);
}

inline uint32_t
HostOfAddress(const uint8_t* address)
{
    return ns3::Ipv4Address::Deserialize(address).Get() - (10U << 24) - 1;
}

/** Ports 0 to n - 1 lead to hosts first to first + n - 1, port n to everybody else. */
class AccessRouter final : public FlowRouter
{
  public:
    AccessRouter(uint32_t first, uint32_t count)
        : m_first(first),
          m_count(count)
    {
    }

    uint32_t PortOf(const FlowKey& key) const override
    {
        const uint32_t index = HostOfAddress(key.Destination()) - m_first; // wraps below the first
        return index < m_count ? index : m_count;
    }

  private:
    uint32_t m_first;
    uint32_t m_count;
};

} // namespace windtunnel
