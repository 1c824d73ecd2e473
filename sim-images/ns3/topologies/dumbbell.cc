// SPDX-License-Identifier: GPL-2.0-only
#include "topologies/dumbbell.h"

#include "topologies/numbered_hosts.h"

using namespace ns3;

namespace windtunnel
{

Dumbbell::Dumbbell(const DumbbellSpec& spec)
{
    const LinkConfig access{spec.access, spec.accessQueue};
    const LinkConfig bottleneck{spec.bottleneck, spec.queue};
    MakeHosts(2 * spec.pairs);
    Switch* left = MakeSwitch(std::make_unique<AccessRouter>(0, spec.pairs));
    Switch* right = MakeSwitch(std::make_unique<AccessRouter>(spec.pairs, spec.pairs));
    for (uint32_t host = 0; host < 2 * spec.pairs; ++host)
    {
        const bool sends = host < spec.pairs;
        Link* nic = MakeNic(host, access);
        const std::string name =
            (sends ? "left.port" : "right.port") + std::to_string(host % spec.pairs);
        Link::Connect(*nic, *MakePort(sends ? left : right, name, Tier::Access, access));
    }
    Link* forward = MakePort(left, "bottleneck", Tier::Bottleneck, bottleneck);
    Link* reverse = MakePort(right, "bottleneck.reverse", Tier::Access, bottleneck);
    Link::Connect(*forward, *reverse);
    if (spec.lossRate > 0)
    {
        auto errors = CreateObject<RateErrorModel>();
        errors->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
        errors->SetRate(spec.lossRate);
        errors->AssignStreams(LOSS_STREAM);
        forward->SetErrorModel(errors);
    }
}

Ipv4Address
Dumbbell::Address(uint32_t host) const
{
    return AddressOfHost(host);
}

} // namespace windtunnel
