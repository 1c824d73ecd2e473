// SPDX-License-Identifier: GPL-2.0-only
#include "topologies/incast.h"

#include "topologies/incast.json.h"
#include "topologies/numbered_hosts.h"
#include "topologies/parameters.h"

using namespace ns3;

namespace windtunnel
{
namespace
{

TopologySpec
ReadIncast(Fields& fields, uint32_t packetBytes)
{
    IncastTopologySpec incast{};
    incast.servers = fields.Count("servers", 1, 2000);
    incast.link = ReadLink(fields.Object("link"));
    incast.clientLink = ReadLinkOr(fields, "client_link", incast.link);
    const uint64_t rate = incast.clientLink.rate.GetBitRate();
    TopologySpec spec{.senders = {0, incast.servers},
                      .receivers = {incast.servers, 1},
                      .hosts = incast.servers + 1,
                      .linkRateBps = rate,
                      .loadRateBps = rate,
                      .longestPath = {incast.link, incast.clientLink}};
    QueueReader queues(fields, spec, packetBytes);
    incast.queue = queues.Read("queue");
    incast.accessQueue = queues.Read("access_queue");
    spec.parameters = incast;
    spec.build = [incast](uint64_t) { return std::make_unique<Incast>(incast); };
    return spec;
}

const TopologyRegistration REGISTRATION({.name = "incast", .schema = INCAST_JSON, .read = ReadIncast});

} // namespace

Incast::Incast(const IncastTopologySpec& spec)
{
    const LinkConfig access{spec.link, spec.accessQueue};
    MakeHosts(spec.servers + 1);
    Switch* center = MakeSwitch(std::make_unique<AccessRouter>(0, spec.servers));
    for (uint32_t server = 0; server < spec.servers; ++server)
    {
        Link* nic = MakeNic(server, access);
        const std::string name = "switch.port" + std::to_string(server);
        Link::Connect(*nic, *MakePort(center, name, Tier::Access, access));
    }
    Link* nic = MakeNic(spec.servers, {spec.clientLink, spec.accessQueue});
    Link* port =
        MakePort(center, "bottleneck", Tier::Bottleneck, {spec.clientLink, spec.queue});
    Link::Connect(*nic, *port);
}

Ipv4Address
Incast::Address(uint32_t host) const
{
    return AddressOfHost(host);
}

} // namespace windtunnel
