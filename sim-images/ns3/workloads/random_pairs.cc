// SPDX-License-Identifier: GPL-2.0-only
#include "workloads/random_pairs.h"

#include "ns3/inet-socket-address.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"

using namespace ns3;

namespace windtunnel
{

RandomPairs::RandomPairs(const RunSpec& spec,
                         const Schedule& schedule,
                         const Transport& transport,
                         const HostOf& hostOf,
                         const AddressOf& addressOf)
    : m_warmupNs(spec.warmupNs),
      m_deliveries(schedule.flows.size())
{
    for (uint32_t flow = 0; flow < schedule.flows.size(); ++flow)
    {
        Listen(flow, hostOf(schedule.flows[flow].receiver), transport);
    }
    for (uint32_t flow = 0; flow < schedule.flows.size(); ++flow)
    {
        const Schedule::Flow& one = schedule.flows[flow];
        Connect(flow, hostOf(one.sender), addressOf(one.receiver), spec, one, transport);
    }
}

void
RandomPairs::Listen(uint32_t flow, const Ptr<Node>& receiver, const Transport& transport)
{
    auto listener = transport.MakeSocket(receiver);
    listener->Bind(InetSocketAddress(Ipv4Address::GetAny(), FIRST_PORT + flow));
    listener->Listen();
    listener->ShutdownSend();
    listener->SetAcceptCallback(
        MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
        Callback<void, Ptr<Socket>, const Address&>([this, flow](Ptr<Socket> accepted,
                                                                 const Address&) {
            m_sockets.push_back(accepted);
            accepted->SetRecvCallback(Callback<void, Ptr<Socket>>(
                [this, flow](Ptr<Socket> socket) { Receive(flow, socket); }));
        }));
    m_sockets.push_back(listener);
}

void
RandomPairs::Connect(uint32_t flow,
                     const Ptr<Node>& sender,
                     Ipv4Address receiver,
                     const RunSpec& spec,
                     const Schedule::Flow& schedule,
                     const Transport& transport)
{
    auto socket = transport.MakeSocket(sender);
    socket->Bind();
    socket->SetConnectCallback(
        Callback<void, Ptr<Socket>>([this, flow](Ptr<Socket>) { m_deliveries[flow].connected = true; }),
        MakeNullCallback<void, Ptr<Socket>>());
    const InetSocketAddress to(receiver, FIRST_PORT + flow);
    Simulator::ScheduleWithContext(sender->GetId(), Time(0), [socket, to] { socket->Connect(to); });
    m_sources.push_back(std::make_unique<OnOffSource>(socket,
                                                      spec.transport.segmentBytes,
                                                      spec.workload.rateBps,
                                                      schedule.periods));
    m_sources.back()->Start();
    m_sockets.push_back(socket);
}

void
RandomPairs::Receive(uint32_t flow, Ptr<Socket> socket)
{
    Delivery& delivery = m_deliveries[flow];
    const bool measured = Simulator::Now().GetNanoSeconds() >= m_warmupNs;
    while (Ptr<Packet> packet = socket->Recv())
    {
        const uint32_t bytes = packet->GetSize();
        if (bytes == 0)
        {
            break; // end of stream
        }
        delivery.bytesTotal += bytes;
        if (measured)
        {
            delivery.bytesMeasured += bytes;
        }
        if (m_onDelivery)
        {
            m_onDelivery(flow, bytes);
        }
    }
}

} // namespace windtunnel
