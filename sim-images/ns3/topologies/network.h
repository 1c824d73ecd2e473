// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "fabric/csma_port.h"
#include "fabric/link.h"
#include "fabric/port_meter.h"
#include "fabric/switch.h"

#include "ns3/ipv4-address.h"
#include "ns3/node.h"

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace windtunnel
{

/** A named egress port of the topology, whatever device stands behind it. */
struct Port
{
    std::string name; ///< e.g. `core0.port2`, `pod1.edge0.port3`, `host7.nic`, `bottleneck`
    Tier tier;
    LinkRate link;
    PortMeter* meter;
    Egress* egress;
    uint32_t medium; ///< ports of one shared segment have the same; others one of their own
};

/** The ports that a flow's packets cross from sender to receiver. */
struct Path
{
    struct Hop
    {
        uint32_t port; ///< index into Network::Ports
        double share;  ///< of the flow's packets; below 1 where they are spread over several ways
    };
    std::vector<Hop> hops;
    std::vector<LinkRate> links; ///< of one way; all ways are alike

    /** Least time for a packet of @p ipBytes: serialization and propagation at every hop, ns. */
    int64_t DelayFloorNs(uint32_t ipBytes) const;

    int64_t PropagationNs() const;
    uint64_t SlowestBps() const;
};

/**
 * Hosts with ns-3's IPv4 and TCP, and between them Link and Switch and nothing else.
 *
 * A topology makes its hosts, switches and links in its constructor with the protected functions.
 */
class Network
{
  public:
    virtual ~Network();
    Network(const Network&) = delete;
    Network& operator=(const Network&) = delete;

    uint32_t HostCount() const
    {
        return m_hosts.size();
    }

    const ns3::Ptr<ns3::Node>& Host(uint32_t host) const
    {
        return m_hosts[host];
    }

    virtual ns3::Ipv4Address Address(uint32_t host) const = 0;

    /** Every egress port: hosts' interfaces first, then switches. */
    const std::vector<Port>& Ports() const
    {
        return m_ports;
    }

    /** Where packets of @p key go that @p sender sends, found by asking the switches. */
    Path PathOf(uint32_t sender, const FlowKey& key) const;

    /** Packets queued, in transmission or propagating anywhere between hosts. */
    uint64_t PacketsInFlight() const;

  protected:
    Network() = default;

    void MakeHosts(uint32_t count);
    Switch* MakeSwitch(std::unique_ptr<Router> router);

    /** One end of a link; @p context is the node that its events are logged under. */
    Link* MakeLink(const std::string& name, Tier tier, const LinkConfig& config, uint32_t context);

    /** The first end of a link that is a host's interface. */
    Link* MakeNic(uint32_t host, const LinkConfig& config);

    /** A switch's end of a link, added to its ports. */
    Link* MakePort(Switch* owner, const std::string& name, Tier tier, const LinkConfig& config);

    CsmaPort* MakeStation(const std::string& name,
                          Tier tier,
                          const ns3::Ptr<ns3::Node>& node,
                          const ns3::Ptr<ns3::CsmaChannel>& segment,
                          const LinkConfig& config,
                          uint32_t medium);

    /** Give @p host an IP interface on @p nic, and make @p egress the way out of it. */
    void InstallStack(uint32_t host, const ns3::Ptr<ns3::NetDevice>& nic, Egress* egress);

    /** An id for media, unlike that of any other port. */
    uint32_t NewMedium()
    {
        return m_media++;
    }

  private:
    void TracePath(Egress* egress, const FlowKey& key, double share, bool first, Path& path) const;
    void AddPort(Port port);

    std::vector<ns3::Ptr<ns3::Node>> m_hosts;
    std::vector<Egress*> m_hostEgress;
    std::vector<std::unique_ptr<Switch>> m_switches;
    std::vector<ns3::Ptr<Link>> m_links;
    std::vector<std::unique_ptr<CsmaPort>> m_stations;
    std::vector<Port> m_ports;
    std::unordered_map<const Egress*, uint32_t> m_portOf;
    uint32_t m_media{0};
};

} // namespace windtunnel
