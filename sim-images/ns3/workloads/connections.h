// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workloads/schedule.h"
#include "workloads/transport.h"

#include "ns3/ipv4-address.h"
#include "ns3/node.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace windtunnel
{

/** What a receiving application has got, per flow. */
struct Delivery
{
    uint64_t bytesTotal{0};
    uint64_t bytesMeasured{0}; ///< at or after the warm-up's end
    int64_t completedNs{-1};   ///< when the last byte of a flow of given size arrived
    bool connected{false};
    bool aborted{false}; ///< TCP gave up after too many retransmissions
};

/** Where the hosts of a schedule are: ours, or those of a program built on ns-3's own devices. */
struct Hosts
{
    std::function<ns3::Ptr<ns3::Node>(uint32_t host)> node;
    std::function<ns3::Ipv4Address(uint32_t host)> address;
};

/**
 * The TCP connections of a schedule's flows, and what they deliver.
 *
 * Flow f is received at port FIRST_PORT + f, so that a packet's port names its flow. A sink reads
 * as soon as data is in order.
 */
class Connections
{
  public:
    static constexpr uint16_t FIRST_PORT = 5000;

    /** A connection's sending socket, before it connects. */
    using OnOpen = std::function<void(uint32_t flow, const ns3::Ptr<TcpSender>& socket)>;
    using OnDelivery = std::function<void(uint32_t flow, uint32_t bytes)>;
    using OnConnected = std::function<void()>;

    Connections(int64_t warmupNs,
                const Schedule& schedule,
                const Transport& transport,
                Hosts hosts);

    /** Open a connection for @p flow now; @p onConnected is called when it can send. */
    ns3::Ptr<TcpSender> Open(uint32_t flow, OnConnected onConnected = nullptr);

    /** Tell the receiver of @p flow that another request is about to be answered. */
    void BeginRound(uint32_t flow);

    const Schedule& Planned() const
    {
        return m_schedule;
    }

    const std::vector<Delivery>& Deliveries() const
    {
        return m_deliveries;
    }

    ns3::Ptr<ns3::Node> Sender(uint32_t flow) const
    {
        return m_hosts.node(m_schedule.flows[flow].sender);
    }

    void AddOnOpen(OnOpen onOpen)
    {
        m_onOpen.push_back(std::move(onOpen));
    }

    /** Called for every delivery to an application. */
    void AddOnDelivery(OnDelivery onDelivery)
    {
        m_onDelivery.push_back(std::move(onDelivery));
    }

  private:
    void Listen(uint32_t flow);
    void Accept(uint32_t flow, const ns3::Ptr<ns3::Socket>& accepted);
    void Receive(uint32_t flow, const ns3::Ptr<ns3::Socket>& socket);

    const Schedule& m_schedule;
    const Transport& m_transport;
    Hosts m_hosts;
    int64_t m_warmupNs;
    std::vector<Delivery> m_deliveries;
    // Kept alive for as long as the run; the last of each flow's connections.
    std::vector<ns3::Ptr<ns3::Socket>> m_listeners;
    std::vector<ns3::Ptr<ns3::Socket>> m_senders;
    std::vector<ns3::Ptr<ns3::Socket>> m_receivers;
    std::vector<OnOpen> m_onOpen;
    std::vector<OnDelivery> m_onDelivery;
};

} // namespace windtunnel
