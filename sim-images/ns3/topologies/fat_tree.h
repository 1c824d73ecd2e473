// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "fabric/csma_port.h"
#include "fabric/link.h"
#include "fabric/port_meter.h"
#include "fabric/switch.h"
#include "spec/run_spec.h"

#include "ns3/ipv4-address.h"
#include "ns3/node.h"

#include <memory>
#include <string>
#include <vector>

namespace windtunnel
{

/** Where a host stands: pod, edge switch in the pod, index under that switch; all from zero. */
struct HostPosition
{
    uint32_t pod;
    uint32_t edge;
    uint32_t index;
};

/**
 * A k-ary fat-tree (Al-Fares, Loukissas and Vahdat, SIGCOMM 2008): k pods of k/2 edge and k/2
 * aggregation switches, (k/2)^2 cores, k^3/4 hosts.
 *
 * Hosts carry ns-3's IPv4 and TCP; everything between them is Link and Switch (and, with
 * `shared-lan` racks, one CSMA segment a rack). Host h has the address 10.pod.edge.(index+2), from
 * which every switch computes the egress port in O(1). Core switch c is wired to aggregation
 * switch c / (k/2) of every pod; its port p leads to pod p. An edge switch's ports lead to its hosts
 * first (one port in a `shared-lan` rack), then to the pod's aggregation switches; an aggregation
 * switch's to the pod's edges first, then to its cores.
 */
class FatTree
{
  public:
    FatTree(const FatTreeSpec& spec, uint64_t hashSeed);
    ~FatTree();
    FatTree(const FatTree&) = delete;
    FatTree& operator=(const FatTree&) = delete;

    uint32_t HostCount() const
    {
        return m_hosts.size();
    }

    const ns3::Ptr<ns3::Node>& Host(uint32_t host) const
    {
        return m_hosts[host];
    }

    HostPosition Position(uint32_t host) const;
    ns3::Ipv4Address Address(uint32_t host) const;

    /** Every egress port: hosts' interfaces first, then edge, aggregation and core switches. */
    const std::vector<Port>& Ports() const
    {
        return m_ports;
    }

    /** Stations that a packet is serialized at from one host to another: 2, 4 or 6, or 1 within a
     * shared rack. */
    uint32_t Hops(uint32_t from, uint32_t to) const;

    /** Least time for a packet of @p ipBytes: serialization and propagation at every hop, ns. */
    int64_t DelayFloorNs(uint32_t from, uint32_t to, uint32_t ipBytes) const;

    /** Packets queued, in transmission or propagating anywhere between hosts. */
    uint64_t PacketsInside() const;

  private:
    void MakeSwitches(uint64_t hashSeed);
    void MakePointToPointRacks();
    void MakeSharedRacks();
    void WirePods();
    Link* MakeLink(const std::string& name, Tier tier, uint32_t context);
    void InstallStack(uint32_t host, const ns3::Ptr<ns3::NetDevice>& nic);
    void WireSwitches(Link* lower, Switch* lowerSwitch, Link* upper, Switch* upperSwitch);
    Switch* Edge(uint32_t pod, uint32_t edge) const;
    Switch* Aggregation(uint32_t pod, uint32_t aggregation) const;

    FatTreeSpec m_spec;
    uint32_t m_half;
    std::vector<ns3::Ptr<ns3::Node>> m_hosts;
    std::vector<std::unique_ptr<Switch>> m_edges;
    std::vector<std::unique_ptr<Switch>> m_aggregations;
    std::vector<std::unique_ptr<Switch>> m_cores;
    std::vector<ns3::Ptr<Link>> m_links;
    std::vector<std::unique_ptr<CsmaPort>> m_csmaPorts;
    std::vector<ns3::Ptr<ns3::Node>> m_segmentNodes; ///< a CSMA device must sit on some node
    std::vector<Port> m_ports;
    mutable uint32_t m_floorBytes{0}; ///< data packets come in one size: computed once
    mutable int64_t m_hopNs{0};
};

} // namespace windtunnel
