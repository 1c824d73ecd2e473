// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "fabric/link.h"
#include "fabric/port_meter.h"
#include "fabric/switch.h"

#include "ns3/csma-channel.h"
#include "ns3/csma-net-device.h"
#include "ns3/node.h"

#include <optional>
#include <unordered_map>

namespace windtunnel
{

/**
 * One station of a shared half-duplex Ethernet segment: ns-3's own CSMA device, metered.
 *
 * On a host the IP stack owns the device. On a switch the device has no stack above it: what it
 * receives goes to the switch, and what the switch sends goes to the MAC address of the host that
 * owns the destination address.
 */
class CsmaPort : public Egress
{
  public:
    CsmaPort(const ns3::Ptr<ns3::Node>& node,
             const ns3::Ptr<ns3::CsmaChannel>& segment,
             const QueueConfig& queue,
             int64_t backoffStream);

    /** Make this the port of a switch. */
    void DeliverTo(Switch* forwarder);

    /** A host of the segment. */
    void AddNeighbor(ns3::Ipv4Address address, ns3::Mac48Address mac);

    /** Make this a host's station: packets to any but its neighbours go to @p gateway. */
    void SetGateway(Switch* gateway);

    void Transmit(const ns3::Ptr<ns3::Packet>& packet) override;
    Switch* Next(const FlowKey& key) const override;
    void SetObserver(Observer observer) override;

    PortMeter& Meter()
    {
        return m_meter;
    }

    /** Packets that have left the queue and not yet arrived: the segment is busy with one at most. */
    uint64_t InFlight() const;

    const ns3::Ptr<ns3::CsmaNetDevice>& Device() const
    {
        return m_device;
    }

  private:
    bool FromSegment(ns3::Ptr<ns3::NetDevice> device,
                     ns3::Ptr<const ns3::Packet> packet,
                     uint16_t protocol,
                     const ns3::Address& from);
    void ConnectMeter();

    ns3::Ptr<ns3::CsmaNetDevice> m_device;
    std::optional<uint32_t> m_deviceQueuePackets;
    ns3::DataRate m_segmentRate;
    ns3::Time m_propagation;
    ns3::Time m_sentLast; ///< when a transmission last ended; the packet then still propagates
    Switch* m_forwarder{nullptr};
    Switch* m_gateway{nullptr};
    std::unordered_map<uint32_t, ns3::Mac48Address> m_neighbors;
    PortMeter m_meter;
};

} // namespace windtunnel
