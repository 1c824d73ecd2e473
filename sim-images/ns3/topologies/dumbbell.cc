// SPDX-License-Identifier: GPL-2.0-only
#include "topologies/dumbbell.h"

#include "base/random_streams.h"
#include "topologies/dumbbell.json.h"
#include "topologies/numbered_hosts.h"
#include "topologies/parameters.h"

using namespace ns3;

namespace windtunnel
{
namespace
{

TopologySpec
ReadDumbbell(Fields& fields, uint32_t packetBytes)
{
    DumbbellSpec dumbbell{};
    dumbbell.pairs = fields.Count("pairs", 1, 1000);
    dumbbell.access = ReadLink(fields.Object("access"));
    dumbbell.bottleneck = ReadLink(fields.Object("bottleneck"));
    dumbbell.lossRate = fields.Number("loss_rate", 0, 0.5);
    const uint64_t rate = dumbbell.bottleneck.rate.GetBitRate();
    TopologySpec spec{.senders = {0, dumbbell.pairs},
                      .receivers = {dumbbell.pairs, dumbbell.pairs},
                      .hosts = 2 * dumbbell.pairs,
                      .linkRateBps = rate,
                      .loadRateBps = rate,
                      .longestPath = {dumbbell.access, dumbbell.bottleneck, dumbbell.access},
                      .hasRandomLoss = true};
    QueueReader queues(fields, spec, packetBytes);
    dumbbell.queue = queues.Read("queue");
    dumbbell.accessQueue = queues.ReadOr("access_queue", dumbbell.queue);
    spec.parameters = dumbbell;
    spec.build = [dumbbell](uint64_t) { return std::make_unique<Dumbbell>(dumbbell); };
    return spec;
}

const TopologyRegistration REGISTRATION({.name = "dumbbell", .schema = DUMBBELL_JSON, .read = ReadDumbbell});

} // namespace

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
        errors->AssignStreams(streams::RANDOM_LOSS);
        forward->SetErrorModel(errors);
    }
}

Ipv4Address
Dumbbell::Address(uint32_t host) const
{
    return AddressOfHost(host);
}

} // namespace windtunnel
