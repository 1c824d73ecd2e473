// SPDX-License-Identifier: GPL-2.0-only
#include "fabric/csma_port.h"

#include "fabric/packet_marks.h"

#include "ns3/drop-tail-queue.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/queue-size.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

using namespace ns3;

namespace windtunnel
{
namespace
{

constexpr uint32_t ETHERNET_HEADER_BYTES = 14;
constexpr uint32_t ETHERNET_BYTES = 18; // with the checksum, on the frame before it is queued

} // namespace

CsmaPort::CsmaPort(const Ptr<Node>& node,
                   const Ptr<CsmaChannel>& segment,
                   const QueueConfig& queue,
                   int64_t backoffStream)
    : m_device(CreateObject<CsmaNetDevice>()),
      m_deviceQueuePackets(queue.deviceQueuePackets),
      m_segmentRate(segment->GetDataRate()),
      m_propagation(segment->GetDelay())
{
    const auto unit =
        queue.limit.unit == QueueLimit::Unit::Packets ? QueueSizeUnit::PACKETS
                                                      : QueueSizeUnit::BYTES;
    auto packets = CreateObject<DropTailQueue<Packet>>();
    packets->SetMaxSize(QueueSize(unit, queue.limit.value));
    m_device->SetQueue(packets);
    m_device->SetAddress(Mac48Address::Allocate());
    node->AddDevice(m_device);
    m_device->Attach(segment);
    m_device->AssignStreams(backoffStream);
    ConnectMeter();
}

void
CsmaPort::ConnectMeter()
{
    // CSMA devices keep ns-3's code, so here the meter does listen to traces. The queue's own
    // Enqueue and Dequeue fire for a packet that is sent at once as well.
    const DataRate rate = m_segmentRate;
    auto now = [] { return Simulator::Now().GetNanoSeconds(); };
    auto queue = m_device->GetQueue();
    queue->TraceConnectWithoutContext(
        "Enqueue",
        Callback<void, Ptr<const Packet>>([this, now](Ptr<const Packet> packet) {
            if (m_deviceQueuePackets && m_meter.Length() >= *m_deviceQueuePackets)
            {
                MarkRefusedByDevice(packet);
            }
            ++m_meter.total.offeredPackets;
            m_meter.Enqueued(now());
        }));
    queue->TraceConnectWithoutContext(
        "Dequeue",
        Callback<void, Ptr<const Packet>>([this, now](Ptr<const Packet> packet) {
            ++m_meter.total.sentPackets;
            m_meter.total.sentBytes += packet->GetSize() - ETHERNET_BYTES;
            m_meter.Dequeued(now());
        }));
    queue->TraceConnectWithoutContext("DropBeforeEnqueue",
                                      Callback<void, Ptr<const Packet>>([this](Ptr<const Packet>) {
                                          ++m_meter.total.offeredPackets;
                                          ++m_meter.total.droppedPackets;
                                      }));
    m_device->TraceConnectWithoutContext("PhyTxEnd",
                                         Callback<void, Ptr<const Packet>>([this, rate](
                                                                               Ptr<const Packet> packet) {
                                             ++m_meter.total.deliveredPackets;
                                             m_sentLast = Simulator::Now();
                                             m_meter.total.busyNs +=
                                                 rate.CalculateBytesTxTime(packet->GetSize())
                                                     .GetNanoSeconds();
                                         }));
    m_device->TraceConnectWithoutContext("PhyTxDrop",
                                         Callback<void, Ptr<const Packet>>([this](Ptr<const Packet>) {
                                             --m_meter.total.sentPackets;
                                             ++m_meter.total.droppedPackets;
                                         }));
}

uint64_t
CsmaPort::InFlight() const
{
    const uint64_t transmitting = m_meter.total.sentPackets - m_meter.total.deliveredPackets;
    const bool propagating = m_meter.total.deliveredPackets > 0 &&
                             Simulator::Now() <= m_sentLast + m_propagation;
    return transmitting + (propagating ? 1 : 0);
}

void
CsmaPort::DeliverTo(Switch* forwarder)
{
    m_forwarder = forwarder;
    m_device->SetReceiveCallback(MakeCallback(&CsmaPort::FromSegment, this));
}

void
CsmaPort::SetGateway(Switch* gateway)
{
    m_gateway = gateway;
}

Switch*
CsmaPort::Next(const FlowKey& key) const
{
    const Ipv4Address destination = Ipv4Address::Deserialize(key.Destination());
    return m_neighbors.contains(destination.Get()) ? nullptr : m_gateway;
}

void
CsmaPort::SetObserver(Observer observer)
{
    m_device->TraceConnectWithoutContext(
        "PhyTxBegin",
        Callback<void, Ptr<const Packet>>([observer](Ptr<const Packet> frame) {
            Ptr<Packet> packet = frame->Copy();
            packet->RemoveAtStart(ETHERNET_HEADER_BYTES);
            const uint32_t length = FlowKey(*packet).TotalLength();
            packet->RemoveAtEnd(packet->GetSize() - length);
            observer(*packet);
        }));
}

void
CsmaPort::AddNeighbor(Ipv4Address address, Mac48Address mac)
{
    m_neighbors[address.Get()] = mac;
}

void
CsmaPort::Transmit(const Ptr<Packet>& packet)
{
    const uint8_t* to = FlowKey(*packet).Destination();
    const Ipv4Address destination = Ipv4Address::Deserialize(to);
    m_device->Send(packet, m_neighbors.at(destination.Get()), Ipv4L3Protocol::PROT_NUMBER);
}

bool
CsmaPort::FromSegment(Ptr<NetDevice>, Ptr<const Packet> packet, uint16_t protocol, const Address&)
{
    if (protocol == Ipv4L3Protocol::PROT_NUMBER)
    {
        // Ethernet pads a frame to 46 bytes of payload; a router forwards the IP packet only.
        Ptr<Packet> trimmed = packet->Copy();
        const uint32_t length = FlowKey(*trimmed).TotalLength();
        if (trimmed->GetSize() > length)
        {
            trimmed->RemoveAtEnd(trimmed->GetSize() - length);
        }
        m_forwarder->Forward(trimmed);
    }
    return true;
}

} // namespace windtunnel
