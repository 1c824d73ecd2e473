// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "topologies/network.h"
#include "topologies/topology.h"

namespace windtunnel
{

/** Parameters of a fat-tree. */
struct FatTreeSpec
{
    enum class Rack
    {
        PointToPoint,
        SharedLan
    };
    enum class Routing
    {
        SinglePath,
        EcmpFlow,
        EcmpPacket
    };
    uint32_t k;
    Rack rack;
    Routing routing;
    LinkRate hostLink;        ///< between hosts and edge switches
    LinkRate aggregationLink; ///< between edge and aggregation switches
    LinkRate coreLink;        ///< between aggregation and core switches
    QueueConfig hostQueue;    ///< of hosts' interfaces
    QueueConfig edgeQueue;    ///< of every port of an edge switch
    QueueConfig aggregationQueue;
    QueueConfig coreQueue;
};

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
class FatTree final : public Network
{
  public:
    FatTree(const FatTreeSpec& spec, uint64_t hashSeed);

    HostPosition Position(uint32_t host) const;
    ns3::Ipv4Address Address(uint32_t host) const override;

  private:
    void MakeSwitches(uint64_t hashSeed);
    void MakePointToPointRacks();
    void MakeSharedRacks();
    void FillArpCaches(uint32_t rack,
                       const std::vector<CsmaPort*>& stations,
                       const CsmaPort& gateway);
    void WirePods();
    Switch* Edge(uint32_t pod, uint32_t edge) const;
    Switch* Aggregation(uint32_t pod, uint32_t aggregation) const;

    FatTreeSpec m_spec;
    uint32_t m_half;
    std::vector<Switch*> m_edges;
    std::vector<Switch*> m_aggregations;
    std::vector<Switch*> m_cores;
    std::vector<ns3::Ptr<ns3::Node>> m_segmentNodes; ///< a CSMA device must sit on some node
};

} // namespace windtunnel
