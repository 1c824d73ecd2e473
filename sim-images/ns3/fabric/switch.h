// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "ns3/ipv4-address.h"
#include "ns3/packet.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace windtunnel
{

class FlowKey;
class Switch;

/** What packets are sent through: one end of a link, or a station on a shared segment. */
class Egress
{
  public:
    /** Told of every IP packet at the instant at which its transmission begins. */
    using Observer = std::function<void(const ns3::Packet& packet)>;

    virtual ~Egress() = default;
    virtual void Transmit(const ns3::Ptr<ns3::Packet>& packet) = 0;

    /** The switch that takes packets of this key at the other end; null where a host does. */
    virtual Switch* Next(const FlowKey& key) const = 0;

    virtual void SetObserver(Observer observer) = 0;
};

/** The first 24 bytes of an IPv4 packet without options: addresses, protocol and ports. */
class FlowKey
{
  public:
    explicit FlowKey(const ns3::Packet& packet)
    {
        packet.CopyData(m_bytes.data(), m_bytes.size());
    }

    /** The key of TCP packets between two endpoints, without a packet at hand. */
    FlowKey(ns3::Ipv4Address source,
            uint16_t sourcePort,
            ns3::Ipv4Address destination,
            uint16_t destinationPort);

    /** The destination address a.b.c.d as its four bytes. */
    const uint8_t* Destination() const
    {
        return m_bytes.data() + 16;
    }

    uint32_t TotalLength() const
    {
        return (uint32_t{m_bytes[2]} << 8) | m_bytes[3];
    }

    /** Addresses and ports, the five-tuple but for the protocol, as two words for hashing. */
    std::array<uint64_t, 2> Tuple() const;

    uint8_t Protocol() const
    {
        return m_bytes[9];
    }

  private:
    std::array<uint8_t, 24> m_bytes{};
};

/** Ports first to first + count - 1 of a switch. */
struct PortRange
{
    uint32_t first;
    uint32_t count;
};

/** The function from a packet's addresses to the egress port's index. */
class Router
{
  public:
    virtual ~Router() = default;
    virtual uint32_t EgressPort(const FlowKey& key) = 0;

    /** The ports among which packets of this key are spread evenly. */
    virtual PortRange NextHops(const FlowKey& key) const = 0;
};

/** A router whose packets of one key all take the same port. */
class FlowRouter : public Router
{
  public:
    virtual uint32_t PortOf(const FlowKey& key) const = 0;

    uint32_t EgressPort(const FlowKey& key) final
    {
        return PortOf(key);
    }

    PortRange NextHops(const FlowKey& key) const final
    {
        return {PortOf(key), 1};
    }
};

/**
 * Ports and a routing function; no IP stack, no hidden queue, no delay of its own.
 *
 * A packet goes in the same event from the link it came by to the queue of the port it leaves by,
 * which is what ns-3's IPv4 forwarding does as well.
 */
class Switch
{
  public:
    explicit Switch(std::unique_ptr<Router> router)
        : m_router(std::move(router))
    {
    }

    /** Ports are numbered in the order in which they are added. */
    void AddPort(Egress* egress)
    {
        m_ports.push_back(egress);
    }

    void Forward(const ns3::Ptr<ns3::Packet>& packet)
    {
        m_ports[m_router->EgressPort(FlowKey(*packet))]->Transmit(packet);
    }

    /** The ports that packets of this key may leave by. */
    std::vector<Egress*> NextHops(const FlowKey& key) const;

  private:
    std::unique_ptr<Router> m_router;
    std::vector<Egress*> m_ports;
};

} // namespace windtunnel
