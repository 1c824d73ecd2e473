// SPDX-License-Identifier: GPL-2.0-only
#include "fabric/link.h"

#include "fabric/packet_marks.h"
#include "fabric/queue_discs.h"

#include "ns3/channel.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv4-queue-disc-item.h"
#include "ns3/node.h"
#include "ns3/simulator.h"

using namespace ns3;

namespace windtunnel
{

NS_OBJECT_ENSURE_REGISTERED(Link);

TypeId
Link::GetTypeId()
{
    static TypeId tid = TypeId("windtunnel::Link").SetParent<NetDevice>().SetGroupName("Windtunnel");
    return tid;
}

Link::Link(const LinkConfig& config, uint32_t context, int64_t stream)
    : m_config(config),
      m_context(context),
      m_queue(config.queue.limit),
      m_mac(Mac48Address::Allocate())
{
    if (!config.queue.IsRing())
    {
        m_disc = MakeQueueDisc(config, stream);
        m_disc->TraceConnectWithoutContext(
            "Drop",
            Callback<void, Ptr<const QueueDiscItem>>(
                [this](Ptr<const QueueDiscItem>) { ++m_meter.total.droppedPackets; }));
        m_disc->TraceConnectWithoutContext(
            "Mark",
            Callback<void, Ptr<const QueueDiscItem>, const char*>(
                [this](Ptr<const QueueDiscItem>, const char*) { ++m_meter.total.markedPackets; }));
    }
}

void
Link::Connect(Link& a, Link& b)
{
    a.m_peer = &b;
    b.m_peer = &a;
}

void
Link::DeliverTo(Switch* forwarder)
{
    m_forwarder = forwarder;
}

Time
Link::SerializationTime(uint32_t bytes)
{
    if (bytes != m_lastSize)
    {
        m_lastSize = bytes;
        m_lastTime = m_config.link.SerializationTime(bytes);
    }
    return m_lastTime;
}

void
Link::Transmit(const Ptr<Packet>& packet)
{
    Accept(packet);
}

Switch*
Link::Next(const FlowKey&) const
{
    return m_peer->m_forwarder;
}

void
Link::SetObserver(Observer observer)
{
    m_observer = std::move(observer);
}

bool
Link::Accept(const Ptr<Packet>& packet)
{
    ++m_meter.total.offeredPackets;
    return m_disc ? AcceptInDisc(packet) : AcceptInRing(packet);
}

bool
Link::AcceptInRing(const Ptr<Packet>& packet)
{
    if (!m_busy)
    {
        StartTransmission(packet);
        return true;
    }
    const auto& ecnThreshold = m_config.queue.ecnThreshold;
    const bool crowded = ecnThreshold && m_queue.LongerThan(*ecnThreshold);
    if (!m_queue.Push(packet))
    {
        ++m_meter.total.droppedPackets;
        return false;
    }
    if (crowded && MarkCongestionExperienced(packet))
    {
        ++m_meter.total.markedPackets;
    }
    if (m_config.queue.deviceQueuePackets && m_meter.Length() >= *m_config.queue.deviceQueuePackets)
    {
        MarkRefusedByDevice(packet);
    }
    m_meter.Enqueued(Simulator::Now().GetNanoSeconds());
    return true;
}

bool
Link::AcceptInDisc(const Ptr<Packet>& packet)
{
    // A disc classifies and marks by the header, which its item holds apart from the packet.
    Ipv4Header header;
    packet->RemoveHeader(header);
    const bool accepted = m_disc->Enqueue(Create<Ipv4QueueDiscItem>(packet,
                                                                    m_mac,
                                                                    Ipv4L3Protocol::PROT_NUMBER,
                                                                    header));
    if (!m_busy)
    {
        SendNextFromDisc();
    }
    m_meter.SetLength(Simulator::Now().GetNanoSeconds(), m_disc->GetNPackets());
    return accepted;
}

void
Link::SendNextFromDisc()
{
    if (Ptr<QueueDiscItem> item = m_disc->Dequeue())
    {
        item->AddHeader();
        StartTransmission(item->GetPacket());
    }
}

void
Link::StartTransmission(const Ptr<Packet>& packet)
{
    m_busy = true;
    const uint32_t size = packet->GetSize();
    const Time serialization = SerializationTime(size);
    ++m_meter.total.sentPackets;
    m_meter.total.sentBytes += size;
    m_meter.TransmissionBegins(Simulator::Now().GetNanoSeconds(), serialization.GetNanoSeconds());
    ++m_inFlight;
    if (m_observer)
    {
        m_observer(*packet);
    }
    Simulator::Schedule(serialization, &Link::TransmissionComplete, this);
    Simulator::ScheduleWithContext(m_peer->m_context,
                                   serialization + m_config.link.delay,
                                   &Link::Receive,
                                   m_peer,
                                   packet);
}

void
Link::TransmissionComplete()
{
    m_busy = false;
    if (m_disc)
    {
        SendNextFromDisc();
        m_meter.SetLength(Simulator::Now().GetNanoSeconds(), m_disc->GetNPackets());
    }
    else if (!m_queue.Empty())
    {
        m_meter.Dequeued(Simulator::Now().GetNanoSeconds());
        StartTransmission(m_queue.Pop());
    }
}

void
Link::Receive(Ptr<Packet> packet)
{
    --m_peer->m_inFlight;
    if (m_peer->m_errors && m_peer->m_errors->IsCorrupt(packet))
    {
        ++m_peer->m_meter.total.lostPackets;
        return;
    }
    ++m_peer->m_meter.total.deliveredPackets;
    if (m_forwarder)
    {
        m_forwarder->Forward(packet);
        return;
    }
    m_toStack(this, packet, Ipv4L3Protocol::PROT_NUMBER, m_peer->GetAddress());
}

void
Link::SetIfIndex(const uint32_t index)
{
    m_ifIndex = index;
}

uint32_t
Link::GetIfIndex() const
{
    return m_ifIndex;
}

Ptr<Channel>
Link::GetChannel() const
{
    return nullptr;
}

void
Link::SetAddress(Address address)
{
    m_mac = Mac48Address::ConvertFrom(address);
}

Address
Link::GetAddress() const
{
    return m_mac;
}

bool
Link::SetMtu(const uint16_t mtu)
{
    return mtu == MTU;
}

uint16_t
Link::GetMtu() const
{
    return MTU;
}

bool
Link::IsLinkUp() const
{
    return m_peer != nullptr;
}

void
Link::AddLinkChangeCallback(Callback<void>)
{
    // A link is up for as long as the simulation lasts: there is nothing to tell.
}

bool
Link::IsBroadcast() const
{
    return true;
}

Address
Link::GetBroadcast() const
{
    return Mac48Address::GetBroadcast();
}

bool
Link::IsMulticast() const
{
    return true;
}

Address
Link::GetMulticast(Ipv4Address group) const
{
    return Mac48Address::GetMulticast(group);
}

Address
Link::GetMulticast(Ipv6Address group) const
{
    return Mac48Address::GetMulticast(group);
}

bool
Link::IsPointToPoint() const
{
    return true;
}

bool
Link::IsBridge() const
{
    return false;
}

bool
Link::Send(Ptr<Packet> packet, const Address&, uint16_t)
{
    return Accept(packet);
}

bool
Link::SendFrom(Ptr<Packet> packet, const Address&, const Address&, uint16_t)
{
    return Accept(packet);
}

Ptr<Node>
Link::GetNode() const
{
    return m_node;
}

void
Link::SetNode(Ptr<Node> node)
{
    m_node = node;
}

bool
Link::NeedsArp() const
{
    return false;
}

void
Link::SetReceiveCallback(ReceiveCallback callback)
{
    m_toStack = callback;
}

void
Link::SetPromiscReceiveCallback(PromiscReceiveCallback)
{
    // Nobody listens to other people's packets on a point-to-point link.
}

bool
Link::SupportsSendFrom() const
{
    return false;
}

} // namespace windtunnel
