// SPDX-License-Identifier: GPL-2.0-only
#include "topologies/parameters.h"

#include "fabric/queue_discs.h"

using namespace ns3;

namespace windtunnel
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

QueueReader::QueueReader(Fields& topology, TopologySpec& spec, uint32_t packetBytes)
    : m_topology(topology),
      m_spec(spec),
      m_product{spec.linkRateBps, spec.PropagationRttNs(), packetBytes}
{
}

QueueConfig
QueueReader::Read(const std::string& name)
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

QueueConfig
QueueReader::ReadOr(const std::string& name, const QueueConfig& otherwise)
{
    return m_topology.IsNull(name) ? otherwise : Read(name);
}

QueueLimit
QueueReader::Limit(Fields& fields, const std::string& name) const
{
    return fields.Read(name, [this](const std::string& text) {
        return ParseQueueLimit(text, m_product);
    });
}

} // namespace windtunnel
