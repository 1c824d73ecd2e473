// SPDX-License-Identifier: GPL-2.0-only
#include "topologies/network.h"

#include "base/random_streams.h"

#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/ipv4.h"

#include <algorithm>

using namespace ns3;

namespace windtunnel
{
int64_t
Path::DelayFloorNs(uint32_t ipBytes) const
{
    int64_t floor = 0;
    for (const LinkRate& link : links)
    {
        floor += (link.SerializationTime(ipBytes) + link.delay).GetNanoSeconds();
    }
    return floor;
}

int64_t
Path::PropagationNs() const
{
    int64_t sum = 0;
    for (const LinkRate& link : links)
    {
        sum += link.delay.GetNanoSeconds();
    }
    return sum;
}

uint64_t
Path::SlowestBps() const
{
    uint64_t slowest = links.front().rate.GetBitRate();
    for (const LinkRate& link : links)
    {
        slowest = std::min(slowest, link.rate.GetBitRate());
    }
    return slowest;
}

Network::~Network() = default;

Path
Network::PathOf(uint32_t sender, const FlowKey& key) const
{
    Path path;
    TracePath(m_hostEgress[sender], key, 1, true, path);
    return path;
}

void
Network::TracePath(Egress* egress, const FlowKey& key, double share, bool first, Path& path) const
{
    const uint32_t port = m_portOf.at(egress);
    const auto known = std::find_if(path.hops.begin(), path.hops.end(), [port](const auto& hop) {
        return hop.port == port;
    });
    if (known == path.hops.end())
    {
        path.hops.push_back({port, share});
    }
    else
    {
        known->share += share; // ways that part and meet again
    }
    if (first)
    {
        path.links.push_back(m_ports[port].link);
    }
    if (const Switch* next = egress->Next(key))
    {
        const auto ways = next->NextHops(key);
        for (size_t i = 0; i < ways.size(); ++i)
        {
            const double part = share / static_cast<double>(ways.size());
            TracePath(ways[i], key, part, first && i == 0, path);
        }
    }
}

uint64_t
Network::PacketsInFlight() const
{
    uint64_t packets = 0;
    for (const auto& link : m_links)
    {
        packets += link->Meter().Length() + link->InFlight();
    }
    for (const auto& station : m_stations)
    {
        packets += station->Meter().Length() + station->InFlight();
    }
    return packets;
}

void
Network::MakeHosts(uint32_t count)
{
    for (uint32_t host = 0; host < count; ++host)
    {
        m_hosts.push_back(CreateObject<Node>());
    }
    m_hostEgress.resize(count);
    InternetStackHelper stack;
    stack.SetIpv6StackInstall(false);
    stack.SetRoutingHelper(Ipv4StaticRoutingHelper());
    for (const auto& host : m_hosts)
    {
        stack.Install(host);
    }
}

Switch*
Network::MakeSwitch(std::unique_ptr<Router> router)
{
    m_switches.push_back(std::make_unique<Switch>(std::move(router)));
    return m_switches.back().get();
}

void
Network::AddPort(Port port)
{
    m_portOf[port.egress] = m_ports.size();
    m_ports.push_back(std::move(port));
}

Link*
Network::MakeLink(const std::string& name, Tier tier, const LinkConfig& config, uint32_t context)
{
    const int64_t stream = streams::FIRST_QUEUE + static_cast<int64_t>(m_links.size());
    m_links.push_back(CreateObject<Link>(config, context, stream));
    Link* link = PeekPointer(m_links.back());
    AddPort({name, tier, config.link, &link->Meter(), link, NewMedium()});
    return link;
}

Link*
Network::MakeNic(uint32_t host, const LinkConfig& config)
{
    const std::string name = "host" + std::to_string(host) + ".nic";
    Link* nic = MakeLink(name, Tier::Host, config, m_hosts[host]->GetId());
    m_hosts[host]->AddDevice(nic);
    InstallStack(host, nic, nic);
    return nic;
}

Link*
Network::MakePort(Switch* owner, const std::string& name, Tier tier, const LinkConfig& config)
{
    // Switches log under one id; the order of events is not affected.
    Link* port = MakeLink(name, tier, config, HostCount());
    owner->AddPort(port);
    port->DeliverTo(owner);
    return port;
}

CsmaPort*
Network::MakeStation(const std::string& name,
                     Tier tier,
                     const Ptr<Node>& node,
                     const Ptr<CsmaChannel>& segment,
                     const LinkConfig& config,
                     uint32_t medium)
{
    const int64_t stream = streams::FIRST_BACKOFF + static_cast<int64_t>(m_stations.size());
    m_stations.push_back(std::make_unique<CsmaPort>(node, segment, config.queue, stream));
    CsmaPort* station = m_stations.back().get();
    AddPort({name, tier, config.link, &station->Meter(), station, medium});
    return station;
}

void
Network::InstallStack(uint32_t host, const Ptr<NetDevice>& nic, Egress* egress)
{
    auto ipv4 = m_hosts[host]->GetObject<Ipv4>();
    const uint32_t interface = ipv4->AddInterface(nic);
    ipv4->AddAddress(interface, Ipv4InterfaceAddress(Address(host), Ipv4Mask("255.0.0.0")));
    ipv4->SetUp(interface);
    m_hostEgress[host] = egress;
}

} // namespace windtunnel
