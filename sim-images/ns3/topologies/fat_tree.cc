// SPDX-License-Identifier: GPL-2.0-only
#include "topologies/fat_tree.h"

#include "topologies/fat_tree_routing.h"

#include "ns3/arp-cache.h"
#include "ns3/data-rate.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-interface.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/ipv4.h"

#include <sstream>

using namespace ns3;

namespace windtunnel
{
namespace
{

constexpr int64_t FIRST_BACKOFF_STREAM = 1'000'000; // far from the workload's streams

template <typename... Parts>
std::string
Name(const Parts&... parts)
{
    std::ostringstream name;
    (name << ... << parts);
    return name.str();
}

} // namespace

FatTree::FatTree(const FatTreeSpec& spec, uint64_t hashSeed)
    : m_spec(spec),
      m_half(spec.k / 2)
{
    const uint32_t hosts = spec.k * m_half * m_half;
    for (uint32_t host = 0; host < hosts; ++host)
    {
        m_hosts.push_back(CreateObject<Node>());
    }
    InternetStackHelper stack;
    stack.SetIpv6StackInstall(false);
    stack.SetRoutingHelper(Ipv4StaticRoutingHelper());
    for (const auto& host : m_hosts)
    {
        stack.Install(host);
    }
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

FatTree::~FatTree() = default;

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

uint32_t
FatTree::Hops(uint32_t from, uint32_t to) const
{
    const HostPosition a = Position(from);
    const HostPosition b = Position(to);
    if (a.pod != b.pod)
    {
        return 6;
    }
    if (a.edge != b.edge)
    {
        return 4;
    }
    return m_spec.rack == FatTreeSpec::Rack::PointToPoint ? 2 : 1;
}

int64_t
FatTree::DelayFloorNs(uint32_t from, uint32_t to, uint32_t ipBytes) const
{
    if (ipBytes != m_floorBytes)
    {
        // Framing only adds to this; CSMA's is larger than the links' two bytes.
        m_floorBytes = ipBytes;
        m_hopNs = (m_spec.link.rate.CalculateBytesTxTime(ipBytes) + m_spec.link.delay)
                      .GetNanoSeconds();
    }
    return Hops(from, to) * m_hopNs;
}

uint64_t
FatTree::PacketsInside() const
{
    uint64_t packets = 0;
    for (const auto& link : m_links)
    {
        packets += link->Meter().Length() + link->InFlight();
    }
    for (const auto& port : m_csmaPorts)
    {
        packets += port->Meter().Length() + port->InFlight();
    }
    return packets;
}

Switch*
FatTree::Edge(uint32_t pod, uint32_t edge) const
{
    return m_edges[pod * m_half + edge].get();
}

Switch*
FatTree::Aggregation(uint32_t pod, uint32_t aggregation) const
{
    return m_aggregations[pod * m_half + aggregation].get();
}

void
FatTree::MakeSwitches(uint64_t hashSeed)
{
    const FatTreeRouting routing{m_spec.k, m_spec.routing, m_spec.rack, hashSeed};
    for (uint32_t pod = 0; pod < m_spec.k; ++pod)
    {
        for (uint32_t i = 0; i < m_half; ++i)
        {
            m_edges.push_back(std::make_unique<Switch>(routing.ForEdge(pod, i)));
            m_aggregations.push_back(std::make_unique<Switch>(routing.ForAggregation(pod)));
        }
    }
    for (uint32_t core = 0; core < m_half * m_half; ++core)
    {
        m_cores.push_back(std::make_unique<Switch>(routing.ForCore()));
    }
}

Link*
FatTree::MakeLink(const std::string& name, Tier tier, uint32_t context)
{
    auto link = CreateObject<Link>(m_spec.link, context);
    m_links.push_back(link);
    m_ports.push_back({name, tier, m_spec.link.rate.GetBitRate(), &link->Meter()});
    return PeekPointer(link);
}

void
FatTree::InstallStack(uint32_t host, const Ptr<NetDevice>& nic)
{
    auto ipv4 = m_hosts[host]->GetObject<Ipv4>();
    const uint32_t interface = ipv4->AddInterface(nic);
    ipv4->AddAddress(interface, Ipv4InterfaceAddress(Address(host), Ipv4Mask("255.0.0.0")));
    ipv4->SetUp(interface);
}

void
FatTree::MakePointToPointRacks()
{
    for (uint32_t host = 0; host < HostCount(); ++host)
    {
        Link* nic = MakeLink(Name("host", host, ".nic"), Tier::Host, m_hosts[host]->GetId());
        m_hosts[host]->AddDevice(nic);
        InstallStack(host, nic);
    }
    for (uint32_t host = 0; host < HostCount(); ++host)
    {
        const HostPosition at = Position(host);
        Link* down = MakeLink(Name("pod", at.pod, ".edge", at.edge, ".port", at.index),
                              Tier::Edge,
                              HostCount());
        Switch* edge = Edge(at.pod, at.edge);
        edge->AddPort(down);
        down->DeliverTo(edge);
        Link::Connect(*m_links[host], *down);
    }
}

void
FatTree::MakeSharedRacks()
{
    const uint64_t rateBps = m_spec.link.rate.GetBitRate();
    int64_t stream = FIRST_BACKOFF_STREAM;
    for (uint32_t rack = 0; rack < m_spec.k * m_half; ++rack)
    {
        auto segment = CreateObject<CsmaChannel>();
        segment->SetAttribute("DataRate", DataRateValue(m_spec.link.rate));
        segment->SetAttribute("Delay", TimeValue(m_spec.link.delay));
        const uint32_t first = rack * m_half;
        std::vector<Ptr<CsmaNetDevice>> nics;
        for (uint32_t host = first; host < first + m_half; ++host)
        {
            m_csmaPorts.push_back(
                std::make_unique<CsmaPort>(m_hosts[host], segment, m_spec.link.queue, stream++));
            CsmaPort* port = m_csmaPorts.back().get();
            InstallStack(host, port->Device());
            m_ports.push_back({Name("host", host, ".nic"), Tier::Host, rateBps, &port->Meter()});
            nics.push_back(port->Device());
        }
        m_segmentNodes.push_back(CreateObject<Node>());
        m_csmaPorts.push_back(std::make_unique<CsmaPort>(m_segmentNodes.back(),
                                                         segment,
                                                         m_spec.link.queue,
                                                         stream++));
        CsmaPort* down = m_csmaPorts.back().get();
        Switch* edge = m_edges[rack].get();
        edge->AddPort(down);
        down->DeliverTo(edge);
        const HostPosition at = Position(first);
        m_ports.push_back({Name("pod", at.pod, ".edge", at.edge, ".port0"),
                           Tier::Edge,
                           rateBps,
                           &down->Meter()});
        const auto gateway = Mac48Address::ConvertFrom(down->Device()->GetAddress());
        for (uint32_t i = 0; i < m_half; ++i)
        {
            down->AddNeighbor(Address(first + i),
                              Mac48Address::ConvertFrom(nics[i]->GetAddress()));
            // Every host is on one /8, so the neighbour of any destination outside the rack is the
            // edge switch: permanent entries, because ARP's requests have a random jitter.
            auto cache = CreateObject<ArpCache>();
            auto interface = m_hosts[first + i]->GetObject<Ipv4L3Protocol>()->GetInterface(1);
            cache->SetDevice(nics[i], interface);
            for (uint32_t other = 0; other < HostCount(); ++other)
            {
                const bool sameRack = other / m_half == rack;
                auto* entry = cache->Add(Address(other));
                entry->SetMacAddress(sameRack ? Mac48Address::ConvertFrom(
                                                    nics[other - first]->GetAddress())
                                              : gateway);
                entry->MarkPermanent();
            }
            interface->SetArpCache(cache);
        }
    }
}

void
FatTree::WireSwitches(Link* lower, Switch* lowerSwitch, Link* upper, Switch* upperSwitch)
{
    lowerSwitch->AddPort(lower);
    lower->DeliverTo(lowerSwitch);
    upperSwitch->AddPort(upper);
    upper->DeliverTo(upperSwitch);
    Link::Connect(*lower, *upper);
}

void
FatTree::WirePods()
{
    const uint32_t switchContext = HostCount(); // switches log under one id; order is not affected
    const uint32_t hostPorts = m_spec.rack == FatTreeSpec::Rack::PointToPoint ? m_half : 1;
    for (uint32_t pod = 0; pod < m_spec.k; ++pod)
    {
        for (uint32_t edge = 0; edge < m_half; ++edge)
        {
            for (uint32_t agg = 0; agg < m_half; ++agg)
            {
                Link* up = MakeLink(Name("pod", pod, ".edge", edge, ".port", hostPorts + agg),
                                    Tier::Edge,
                                    switchContext);
                Link* down = MakeLink(Name("pod", pod, ".aggregation", agg, ".port", edge),
                                      Tier::Aggregation,
                                      switchContext);
                WireSwitches(up, Edge(pod, edge), down, Aggregation(pod, agg));
            }
        }
    }
    for (uint32_t pod = 0; pod < m_spec.k; ++pod)
    {
        for (uint32_t core = 0; core < m_half * m_half; ++core)
        {
            const uint32_t agg = core / m_half;
            const uint32_t upPort = m_half + core % m_half;
            Link* up = MakeLink(Name("pod", pod, ".aggregation", agg, ".port", upPort),
                                Tier::Aggregation,
                                switchContext);
            Link* down =
                MakeLink(Name("core", core, ".port", pod), Tier::Core, switchContext);
            WireSwitches(up, Aggregation(pod, agg), down, m_cores[core].get());
        }
    }
}

} // namespace windtunnel
