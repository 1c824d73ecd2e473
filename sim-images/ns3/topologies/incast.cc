// SPDX-License-Identifier: GPL-2.0-only
#include "topologies/incast.h"

#include "topologies/numbered_hosts.h"

using namespace ns3;

namespace windtunnel
{

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
