// SPDX-License-Identifier: GPL-2.0-only
#include "topologies/topology.h"

#include "base/registry.h"

namespace windtunnel
{

int64_t
TopologySpec::PropagationRttNs() const
{
    int64_t oneWay = 0;
    for (const LinkRate& link : longestPath)
    {
        oneWay += link.delay.GetNanoSeconds();
    }
    return 2 * oneWay;
}

int64_t
TopologySpec::BaseRttNs(uint32_t dataBytes, uint32_t ackBytes) const
{
    int64_t rtt = PropagationRttNs();
    for (const LinkRate& link : longestPath)
    {
        rtt += (link.SerializationTime(dataBytes) + link.SerializationTime(ackBytes))
                   .GetNanoSeconds();
    }
    return rtt;
}

TopologyRegistration::TopologyRegistration(TopologyKind kind)
{
    Registry<TopologyKind>::Add(std::move(kind));
}

const std::vector<TopologyKind>&
TopologyKinds()
{
    return Registry<TopologyKind>::All();
}

TopologySpec
ReadTopology(Fields fields, uint32_t packetBytes)
{
    TopologySpec spec = fields.KindOf(TopologyKinds()).read(fields, packetBytes);
    fields.ExpectNoUnknownFields();
    return spec;
}

} // namespace windtunnel
