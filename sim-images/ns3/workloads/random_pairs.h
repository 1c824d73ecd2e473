// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workloads/on_off_source.h"
#include "workloads/schedule.h"
#include "workloads/transport.h"

#include "ns3/ipv4-address.h"
#include "ns3/node.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace windtunnel
{

/** What a receiving application has got, per flow. */
struct Delivery
{
    uint64_t bytesTotal{0};
    uint64_t bytesMeasured{0}; ///< at or after the warm-up's end
    bool connected{false};
};

/**
 * The random-pairs workload on any network: one TCP connection a flow, opened at time zero, fed by
 * an on/off source, read by a sink as soon as data is in order.
 *
 * Flow f is received at port FIRST_PORT + f, so that a packet's port names its flow.
 */
class RandomPairs
{
  public:
    using HostOf = std::function<ns3::Ptr<ns3::Node>(uint32_t host)>;
    using AddressOf = std::function<ns3::Ipv4Address(uint32_t host)>;
    using OnDelivery = std::function<void(uint32_t flow, uint32_t bytes)>;

    static constexpr uint16_t FIRST_PORT = 5000;

    RandomPairs(const RunSpec& spec,
                const Schedule& schedule,
                const Transport& transport,
                const HostOf& hostOf,
                const AddressOf& addressOf);

    const std::vector<Delivery>& Deliveries() const
    {
        return m_deliveries;
    }

    /** Told of every delivery to an application. */
    void SetOnDelivery(OnDelivery onDelivery)
    {
        m_onDelivery = std::move(onDelivery);
    }

  private:
    void Listen(uint32_t flow, const ns3::Ptr<ns3::Node>& receiver, const Transport& transport);
    void Connect(uint32_t flow,
                 const ns3::Ptr<ns3::Node>& sender,
                 ns3::Ipv4Address receiver,
                 const RunSpec& spec,
                 const Schedule::Flow& schedule,
                 const Transport& transport);
    void Receive(uint32_t flow, ns3::Ptr<ns3::Socket> socket);

    int64_t m_warmupNs;
    std::vector<Delivery> m_deliveries;
    std::vector<ns3::Ptr<ns3::Socket>> m_sockets; ///< kept alive for as long as the workload
    std::vector<std::unique_ptr<OnOffSource>> m_sources;
    OnDelivery m_onDelivery;
};

} // namespace windtunnel
