// SPDX-License-Identifier: GPL-2.0-only
#include "probes/flow_probe.h"

#include "fabric/packet_marks.h"

#include "ns3/ipv4-l3-protocol.h"
#include "ns3/simulator.h"
#include "ns3/tag.h"

#include <array>

using namespace ns3;

namespace windtunnel
{
namespace
{

/** When a packet was sent, which flow it belongs to, and whether it carries data. */
class SentTag : public Tag
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("windtunnel::SentTag").SetParent<Tag>().AddConstructor<SentTag>();
        return tid;
    }

    TypeId GetInstanceTypeId() const override
    {
        return GetTypeId();
    }

    uint32_t GetSerializedSize() const override
    {
        return 16;
    }

    void Serialize(TagBuffer buffer) const override
    {
        buffer.WriteU64(sentNs);
        buffer.WriteU32(flow);
        buffer.WriteU32(kind);
    }

    void Deserialize(TagBuffer buffer) override
    {
        sentNs = buffer.ReadU64();
        flow = buffer.ReadU32();
        kind = buffer.ReadU32();
    }

    void Print(std::ostream& os) const override
    {
        os << "flow " << flow << " sent at " << sentNs << " ns";
    }

    enum Kind : uint32_t
    {
        Forward,        ///< from the sender, without data (SYN, ACK of the SYN)
        ForwardData,    ///< from the sender, with data
        Backward,       ///< from the receiver
    };

    int64_t sentNs{0};
    uint32_t flow{0};
    uint32_t kind{Forward};
};

/** Ports and payload of a TCP segment that begins with its header. */
struct Segment
{
    explicit Segment(const Packet& packet)
    {
        std::array<uint8_t, 13> bytes{};
        packet.CopyData(bytes.data(), bytes.size());
        sourcePort = uint16_t(bytes[0] << 8 | bytes[1]);
        destinationPort = uint16_t(bytes[2] << 8 | bytes[3]);
        payload = packet.GetSize() - 4 * (bytes[12] >> 4);
    }

    uint16_t sourcePort;
    uint16_t destinationPort;
    uint32_t payload;
};

} // namespace

FlowProbe::FlowProbe(const Setting& setting, Floor floor)
    : m_firstPort(setting.firstPort),
      m_warmupNs(setting.warmupNs),
      m_watchesDeviceQueues(setting.watchesDeviceQueues),
      m_floor(std::move(floor)),
      m_data(setting.flows),
      m_acks(setting.flows),
      m_delays(setting.flows)
{
}

void
FlowProbe::Observe(const Ptr<Node>& host)
{
    auto ipv4 = host->GetObject<Ipv4L3Protocol>();
    ipv4->TraceConnectWithoutContext("SendOutgoing", MakeCallback(&FlowProbe::Sent, this));
    ipv4->TraceConnectWithoutContext("LocalDeliver", MakeCallback(&FlowProbe::Received, this));
}

void
FlowProbe::Sent(const Ipv4Header& header, Ptr<const Packet> packet, uint32_t)
{
    const Segment segment(*packet);
    const uint32_t ahead = static_cast<uint32_t>(segment.destinationPort) - m_firstPort;
    const bool forward = ahead < m_data.size();
    SentTag tag;
    tag.sentNs = Simulator::Now().GetNanoSeconds();
    tag.flow = forward ? ahead : static_cast<uint32_t>(segment.sourcePort) - m_firstPort;
    tag.kind = !forward ? SentTag::Backward
                        : (segment.payload > 0 ? SentTag::ForwardData : SentTag::Forward);
    packet->AddPacketTag(tag);
    ++m_allSent;
    if (tag.sentNs >= m_warmupNs)
    {
        FlowDirection& direction = (forward ? m_data : m_acks)[tag.flow];
        ++direction.txPackets;
        direction.txBytes += packet->GetSize() + header.GetSerializedSize();
        if (direction.firstTxNs < 0)
        {
            direction.firstTxNs = tag.sentNs;
        }
    }
}

void
FlowProbe::Received(const Ipv4Header& header, Ptr<const Packet> packet, uint32_t)
{
    SentTag tag;
    packet->PeekPacketTag(tag);
    ++m_allReceived;
    const int64_t nowNs = Simulator::Now().GetNanoSeconds();
    if (nowNs < m_warmupNs)
    {
        return;
    }
    const uint32_t ipBytes = packet->GetSize() + header.GetSerializedSize();
    const int64_t delayNs = nowNs - tag.sentNs;
    FlowDirection& direction = (tag.kind == SentTag::Backward ? m_acks : m_data)[tag.flow];
    ++direction.rxPackets;
    direction.rxBytes += ipBytes;
    direction.delaySumNs += delayNs;
    direction.lastRxNs = nowNs;
    direction.markedPackets += header.GetEcn() == Ipv4Header::ECN_CE ? 1 : 0;
    if (!m_watchesDeviceQueues || !IsRefusedByDevice(*packet))
    {
        direction.ns325RxBytes += ipBytes;
    }
    if (tag.kind == SentTag::ForwardData)
    {
        DataDelay& data = m_delays[tag.flow];
        ++data.packets;
        data.sumNs += delayNs;
        data.minExcessNs = std::min(data.minExcessNs, delayNs - m_floor(tag.flow, ipBytes));
        m_histogram.Add(delayNs);
    }
}

} // namespace windtunnel
