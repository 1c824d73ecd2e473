// SPDX-License-Identifier: GPL-2.0-only
#include "topologies/fat_tree.h"

#include "topologies/fat_tree.json.h"
#include "topologies/fat_tree_routing.h"
#include "topologies/parameters.h"

#include "ns3/arp-cache.h"
#include "ns3/ipv4-interface.h"
#include "ns3/ipv4-l3-protocol.h"

#include <sstream>

using namespace ns3;

namespace windtunnel
{
namespace
{

template <typename... Parts>
std::string
Name(const Parts&... parts)
{
    std::ostringstream name;
    (name << ... << parts);
    return name.str();
}

void
CheckSharedRacks(Fields& fields, const FatTreeSpec& tree)
{
    if (tree.rack != FatTreeSpec::Rack::SharedLan)
    {
        return;
    }
    for (const QueueConfig* queue : {&tree.hostQueue, &tree.edgeQueue})
    {
        if (queue->kind != "drop-tail")
        {
            fields.Fail("queue", "a shared-lan rack takes drop-tail queues only");
        }
    }
}

TopologySpec
ReadFatTree(Fields& fields, uint32_t packetBytes)
{
    FatTreeSpec tree{};
    tree.k = fields.Count("k", 2, 16);
    if (tree.k % 2 != 0)
    {
        fields.Fail("k", "a fat-tree needs an even k");
    }
    tree.rack =
        fields.OneOf<FatTreeSpec::Rack>("rack",
                                        {{"point-to-point", FatTreeSpec::Rack::PointToPoint},
                                         {"shared-lan", FatTreeSpec::Rack::SharedLan}});
    tree.routing =
        fields.OneOf<FatTreeSpec::Routing>("routing",
                                           {{"single-path", FatTreeSpec::Routing::SinglePath},
                                            {"ecmp-flow", FatTreeSpec::Routing::EcmpFlow},
                                            {"ecmp-packet", FatTreeSpec::Routing::EcmpPacket}});
    const LinkRate link = ReadLink(fields.Object("link"));
    tree.hostLink = ReadLinkOr(fields, "host_link", link);
    tree.aggregationLink = ReadLinkOr(fields, "aggregation_link", link);
    tree.coreLink = ReadLinkOr(fields, "core_link", link);
    const uint32_t hosts = tree.k * tree.k * tree.k / 4;
    const uint64_t hostRate = tree.hostLink.rate.GetBitRate();
    TopologySpec spec{.senders = {0, hosts},
                      .receivers = {0, hosts},
                      .hosts = hosts,
                      .linkRateBps = hostRate,
                      .loadRateBps = hostRate * hosts,
                      .longestPath = {tree.hostLink,
                                      tree.aggregationLink,
                                      tree.coreLink,
                                      tree.coreLink,
                                      tree.aggregationLink,
                                      tree.hostLink}};
    QueueReader queues(fields, spec, packetBytes);
    const QueueConfig queue = queues.Read("queue");
    tree.hostQueue = queues.ReadOr("host_queue", queue);
    tree.edgeQueue = queues.ReadOr("edge_queue", queue);
    tree.aggregationQueue = queues.ReadOr("aggregation_queue", queue);
    tree.coreQueue = queues.ReadOr("core_queue", queue);
    CheckSharedRacks(fields, tree);
    spec.parameters = tree;
    spec.build = [tree](uint64_t seed) { return std::make_unique<FatTree>(tree, seed); };
    return spec;
}

const TopologyRegistration REGISTRATION({.name = "fat-tree", .schema = FAT_TREE_JSON, .read = ReadFatTree});

} // namespace

FatTree::FatTree(const FatTreeSpec& spec, uint64_t hashSeed)
    : m_spec(spec),
      m_half(spec.k / 2)
{
    MakeHosts(spec.k * m_half * m_half);
    MakeSwitches(hashSeed);
    if (spec.rack == FatTreeSpec::Rack::PointToPoint)
    {
        MakePointToPointRacks();
    }
    else
    {
        MakeSharedRacks();
    }
    WirePods();
}

HostPosition
FatTree::Position(uint32_t host) const
{
    return {host / (m_half * m_half), host / m_half % m_half, host % m_half};
}

Ipv4Address
FatTree::Address(uint32_t host) const
{
    const HostPosition at = Position(host);
    return Ipv4Address((10U << 24) | (at.pod << 16) | (at.edge << 8) | (at.index + 2));
}

Switch*
FatTree::Edge(uint32_t pod, uint32_t edge) const
{
    return m_edges[pod * m_half + edge];
}

Switch*
FatTree::Aggregation(uint32_t pod, uint32_t aggregation) const
{
    return m_aggregations[pod * m_half + aggregation];
}

void
FatTree::MakeSwitches(uint64_t hashSeed)
{
    const FatTreeRouting routing{m_spec.k, m_spec.routing, m_spec.rack, hashSeed};
    for (uint32_t pod = 0; pod < m_spec.k; ++pod)
    {
        for (uint32_t i = 0; i < m_half; ++i)
        {
            m_edges.push_back(MakeSwitch(routing.ForEdge(pod, i)));
            m_aggregations.push_back(MakeSwitch(routing.ForAggregation(pod, i)));
        }
    }
    for (uint32_t core = 0; core < m_half * m_half; ++core)
    {
        m_cores.push_back(MakeSwitch(routing.ForCore()));
    }
}

void
FatTree::MakePointToPointRacks()
{
    std::vector<Link*> nics;
    for (uint32_t host = 0; host < HostCount(); ++host)
    {
        nics.push_back(MakeNic(host, {m_spec.hostLink, m_spec.hostQueue}));
    }
    for (uint32_t host = 0; host < HostCount(); ++host)
    {
        const HostPosition at = Position(host);
        const auto name = Name("pod", at.pod, ".edge", at.edge, ".port", at.index);
        Link* down = MakePort(Edge(at.pod, at.edge),
                              name,
                              Tier::Edge,
                              {m_spec.hostLink, m_spec.edgeQueue});
        Link::Connect(*nics[host], *down);
    }
}

void
FatTree::MakeSharedRacks()
{
    for (uint32_t rack = 0; rack < m_spec.k * m_half; ++rack)
    {
        auto segment = CreateObject<CsmaChannel>();
        segment->SetAttribute("DataRate", DataRateValue(m_spec.hostLink.rate));
        segment->SetAttribute("Delay", TimeValue(m_spec.hostLink.delay));
        const uint32_t medium = NewMedium();
        const uint32_t first = rack * m_half;
        std::vector<CsmaPort*> stations;
        for (uint32_t host = first; host < first + m_half; ++host)
        {
            CsmaPort* station = MakeStation(Name("host", host, ".nic"),
                                            Tier::Host,
                                            Host(host),
                                            segment,
                                            {m_spec.hostLink, m_spec.hostQueue},
                                            medium);
            InstallStack(host, station->Device(), station);
            station->SetGateway(m_edges[rack]);
            stations.push_back(station);
        }
        m_segmentNodes.push_back(CreateObject<Node>());
        const HostPosition at = Position(first);
        CsmaPort* down = MakeStation(Name("pod", at.pod, ".edge", at.edge, ".port0"),
                                     Tier::Edge,
                                     m_segmentNodes.back(),
                                     segment,
                                     {m_spec.hostLink, m_spec.edgeQueue},
                                     medium);
        m_edges[rack]->AddPort(down);
        down->DeliverTo(m_edges[rack]);
        FillArpCaches(rack, stations, *down);
        for (uint32_t i = 0; i < m_half; ++i)
        {
            const auto mac = Mac48Address::ConvertFrom(stations[i]->Device()->GetAddress());
            down->AddNeighbor(Address(first + i), mac);
            for (CsmaPort* station : stations)
            {
                station->AddNeighbor(Address(first + i), mac);
            }
        }
    }
}

void
FatTree::FillArpCaches(uint32_t rack,
                       const std::vector<CsmaPort*>& stations,
                       const CsmaPort& gateway)
{
    // Every host is on one /8, so the neighbour of any destination outside the rack is the edge
    // switch: permanent entries, because ARP's requests have a random jitter.
    const uint32_t first = rack * m_half;
    for (uint32_t i = 0; i < m_half; ++i)
    {
        auto cache = CreateObject<ArpCache>();
        auto interface = Host(first + i)->GetObject<Ipv4L3Protocol>()->GetInterface(1);
        cache->SetDevice(stations[i]->Device(), interface);
        for (uint32_t other = 0; other < HostCount(); ++other)
        {
            const bool sameRack = other / m_half == rack;
            const CsmaPort& via = sameRack ? *stations[other - first] : gateway;
            auto* entry = cache->Add(Address(other));
            entry->SetMacAddress(Mac48Address::ConvertFrom(via.Device()->GetAddress()));
            entry->MarkPermanent();
        }
        interface->SetArpCache(cache);
    }
}

void
FatTree::WirePods()
{
    const uint32_t hostPorts = m_spec.rack == FatTreeSpec::Rack::PointToPoint ? m_half : 1;
    for (uint32_t pod = 0; pod < m_spec.k; ++pod)
    {
        for (uint32_t edge = 0; edge < m_half; ++edge)
        {
            for (uint32_t agg = 0; agg < m_half; ++agg)
            {
                Link* up = MakePort(Edge(pod, edge),
                                    Name("pod", pod, ".edge", edge, ".port", hostPorts + agg),
                                    Tier::Edge,
                                    {m_spec.aggregationLink, m_spec.edgeQueue});
                Link* down = MakePort(Aggregation(pod, agg),
                                      Name("pod", pod, ".aggregation", agg, ".port", edge),
                                      Tier::Aggregation,
                                      {m_spec.aggregationLink, m_spec.aggregationQueue});
                Link::Connect(*up, *down);
            }
        }
    }
    for (uint32_t pod = 0; pod < m_spec.k; ++pod)
    {
        for (uint32_t core = 0; core < m_half * m_half; ++core)
        {
            const uint32_t agg = core / m_half;
            const uint32_t upPort = m_half + core % m_half;
            Link* up = MakePort(Aggregation(pod, agg),
                                Name("pod", pod, ".aggregation", agg, ".port", upPort),
                                Tier::Aggregation,
                                {m_spec.coreLink, m_spec.aggregationQueue});
            Link* down = MakePort(m_cores[core],
                                  Name("core", core, ".port", pod),
                                  Tier::Core,
                                  {m_spec.coreLink, m_spec.coreQueue});
            Link::Connect(*up, *down);
        }
    }
}

} // namespace windtunnel
