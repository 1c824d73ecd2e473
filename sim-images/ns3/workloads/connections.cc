// SPDX-License-Identifier: GPL-2.0-only
#include "workloads/connections.h"

#include "congestion/receiver_driven_socket.h"

#include "ns3/inet-socket-address.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"

#include <stdexcept>
#include <string>

using namespace ns3;

namespace windtunnel
{

Connections::Connections(int64_t warmupNs,
                         const Schedule& schedule,
                         const Transport& transport,
                         Hosts hosts)
    : m_schedule(schedule),
      m_transport(transport),
      m_hosts(std::move(hosts)),
      m_warmupNs(warmupNs),
      m_deliveries(schedule.flows.size()),
      m_listeners(schedule.flows.size()),
      m_senders(schedule.flows.size()),
      m_receivers(schedule.flows.size())
{
}

Ptr<TcpSender>
Connections::Open(uint32_t flow, OnConnected onConnected)
{
    const PlannedFlow& planned = m_schedule.flows[flow];
    if (!m_listeners[flow])
    {
        Listen(flow);
    }
    auto socket = m_transport.MakeSender(m_hosts.node(planned.sender), planned, flow);
    if (socket->Bind() != 0)
    {
        throw std::runtime_error("host " + std::to_string(planned.sender) +
                                 " has no TCP port left to open another connection from; closed "
                                 "ones keep theirs for minutes: take fewer flows or rounds");
    }
    socket->SetConnectCallback(
        Callback<void, Ptr<Socket>>([this, flow, onConnected](Ptr<Socket>) {
            m_deliveries[flow].connected = true;
            if (onConnected)
            {
                onConnected();
            }
        }),
        MakeNullCallback<void, Ptr<Socket>>());
    socket->SetCloseCallbacks(
        MakeNullCallback<void, Ptr<Socket>>(),
        Callback<void, Ptr<Socket>>([this, flow](Ptr<Socket>) {
            m_deliveries[flow].aborted = true;
        }));
    for (const OnOpen& onOpen : m_onOpen)
    {
        onOpen(flow, socket);
    }
    socket->Connect(InetSocketAddress(m_hosts.address(planned.receiver), FIRST_PORT + flow));
    m_senders[flow] = socket;
    return socket;
}

void
Connections::BeginRound(uint32_t flow)
{
    if (auto receiver = DynamicCast<ReceiverDrivenSocket>(m_receivers[flow]))
    {
        receiver->BeginRound();
    }
}

void
Connections::Listen(uint32_t flow)
{
    const PlannedFlow& planned = m_schedule.flows[flow];
    auto listener = m_transport.MakeListener(m_hosts.node(planned.receiver), planned, flow);
    listener->Bind(InetSocketAddress(Ipv4Address::GetAny(), FIRST_PORT + flow));
    listener->Listen();
    listener->ShutdownSend();
    listener->SetAcceptCallback(
        MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
        Callback<void, Ptr<Socket>, const Address&>(
            [this, flow](Ptr<Socket> accepted, const Address&) { Accept(flow, accepted); }));
    m_listeners[flow] = listener;
}

void
Connections::Accept(uint32_t flow, const Ptr<Socket>& accepted)
{
    accepted->SetRecvCallback(Callback<void, Ptr<Socket>>(
        [this, flow](Ptr<Socket> socket) { Receive(flow, socket); }));
    accepted->SetCloseCallbacks(
        Callback<void, Ptr<Socket>>([](Ptr<Socket> socket) { socket->Close(); }),
        MakeNullCallback<void, Ptr<Socket>>());
    m_receivers[flow] = accepted;
}

void
Connections::Receive(uint32_t flow, const Ptr<Socket>& socket)
{
    Delivery& delivery = m_deliveries[flow];
    const int64_t nowNs = Simulator::Now().GetNanoSeconds();
    while (Ptr<Packet> packet = socket->Recv())
    {
        const uint32_t bytes = packet->GetSize();
        if (bytes == 0)
        {
            break; // end of stream
        }
        delivery.bytesTotal += bytes;
        if (nowNs >= m_warmupNs)
        {
            delivery.bytesMeasured += bytes;
        }
        if (delivery.bytesTotal == m_schedule.flows[flow].bytes)
        {
            delivery.completedNs = nowNs;
        }
        for (const OnDelivery& onDelivery : m_onDelivery)
        {
            onDelivery(flow, bytes);
        }
    }
}

} // namespace windtunnel
