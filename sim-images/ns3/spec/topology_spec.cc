// SPDX-License-Identifier: GPL-2.0-only
#include "spec/topology_spec.h"

#include "fabric/queue_discs.h"
#include "spec/quantity.h"

#include <algorithm>

using namespace ns3;

namespace windtunnel
{
namespace
{

LinkRate
ReadLink(Fields link)
{
    const LinkRate rate{DataRate(link.Read("rate", ParseRate)),
                        NanoSeconds(link.Read("delay", ParseTime))};
    link.ExpectNoUnknownFields();
    return rate;
}

LinkRate
ReadLinkOr(Fields& topology, const std::string& name, const LinkRate& otherwise)
{
    return topology.IsNull(name) ? otherwise : ReadLink(topology.Object(name));
}

/** Reads queues of one topology, whose bandwidth-delay product their limits may be in. */
class QueueReader
{
  public:
    QueueReader(Fields& topology, TopologySpec& spec, uint32_t packetBytes)
        : m_topology(topology),
          m_spec(spec),
          m_product{spec.linkRateBps, spec.PropagationRttNs(), packetBytes}
    {
    }

    QueueConfig Read(const std::string& name)
    {
        Fields fields = m_topology.Object(name);
        QueueConfig queue;
        queue.kind = fields.Plain<std::string>("kind");
        queue.limit = Limit(fields, "limit");
        if (queue.kind == "drop-tail")
        {
            if (!fields.IsNull("ns325_device_queue"))
            {
                queue.deviceQueuePackets = Limit(fields, "ns325_device_queue").value;
                m_spec.watchesDeviceQueues = true;
            }
        }
        else if (queue.kind == "threshold-ecn")
        {
            queue.ecnThreshold = Limit(fields, "ecn_threshold");
        }
        else
        {
            queue.attributes = fields.TakeRemaining();
            CheckQueueDisc(queue, fields);
        }
        fields.ExpectNoUnknownFields();
        return queue;
    }

    QueueConfig ReadOr(const std::string& name, const QueueConfig& otherwise)
    {
        return m_topology.IsNull(name) ? otherwise : Read(name);
    }

  private:
    QueueLimit Limit(Fields& fields, const std::string& name) const
    {
        return fields.Read(name, [this](const std::string& text) {
            return ParseQueueLimit(text, m_product);
        });
    }

    Fields& m_topology;
    TopologySpec& m_spec;
    BandwidthDelayProduct m_product;
};

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
    TopologySpec spec{.kind = {},
                      .senders = {0, hosts},
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
    spec.kind = tree;
    return spec;
}

TopologySpec
ReadDumbbell(Fields& fields, uint32_t packetBytes)
{
    DumbbellSpec dumbbell{};
    dumbbell.pairs = fields.Count("pairs", 1, 1000);
    dumbbell.access = ReadLink(fields.Object("access"));
    dumbbell.bottleneck = ReadLink(fields.Object("bottleneck"));
    dumbbell.lossRate = fields.Number("loss_rate", 0, 0.5);
    const uint64_t rate = dumbbell.bottleneck.rate.GetBitRate();
    TopologySpec spec{.kind = {},
                      .senders = {0, dumbbell.pairs},
                      .receivers = {dumbbell.pairs, dumbbell.pairs},
                      .hosts = 2 * dumbbell.pairs,
                      .linkRateBps = rate,
                      .loadRateBps = rate,
                      .longestPath = {dumbbell.access, dumbbell.bottleneck, dumbbell.access}};
    QueueReader queues(fields, spec, packetBytes);
    dumbbell.queue = queues.Read("queue");
    dumbbell.accessQueue = queues.ReadOr("access_queue", dumbbell.queue);
    spec.kind = dumbbell;
    return spec;
}

TopologySpec
ReadIncast(Fields& fields, uint32_t packetBytes)
{
    IncastTopologySpec incast{};
    incast.servers = fields.Count("servers", 1, 2000);
    incast.link = ReadLink(fields.Object("link"));
    incast.clientLink = ReadLinkOr(fields, "client_link", incast.link);
    const uint64_t rate = incast.clientLink.rate.GetBitRate();
    TopologySpec spec{.kind = {},
                      .senders = {0, incast.servers},
                      .receivers = {incast.servers, 1},
                      .hosts = incast.servers + 1,
                      .linkRateBps = rate,
                      .loadRateBps = rate,
                      .longestPath = {incast.link, incast.clientLink}};
    QueueReader queues(fields, spec, packetBytes);
    incast.queue = queues.Read("queue");
    incast.accessQueue = queues.Read("access_queue");
    spec.kind = incast;
    return spec;
}

} // namespace

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

TopologySpec
ReadTopology(Fields fields, uint32_t packetBytes)
{
    using Reader = TopologySpec (*)(Fields&, uint32_t);
    const auto read = fields.OneOf<Reader>(
        "kind",
        {{"fat-tree", ReadFatTree}, {"dumbbell", ReadDumbbell}, {"incast", ReadIncast}});
    TopologySpec spec = read(fields, packetBytes);
    fields.ExpectNoUnknownFields();
    return spec;
}

} // namespace windtunnel
