// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "fabric/link_config.h"
#include "fabric/packet_ring.h"
#include "fabric/port_meter.h"
#include "fabric/switch.h"

#include "ns3/error-model.h"
#include "ns3/mac48-address.h"
#include "ns3/net-device.h"
#include "ns3/queue-disc.h"

namespace windtunnel
{

/**
 * One end of a full-duplex point-to-point link: an egress queue, one transmitter, and the peer to
 * which a packet is delivered after its serialization and propagation.
 *
 * A host's network interface and a switch's port are the same class. Two events a hop are
 * scheduled, transmission complete and then reception, in the order in which ns-3's
 * PointToPointNetDevice and PointToPointChannel do it; that order decides between simultaneous
 * arrivals and so is part of the result. PPP's two bytes of framing are counted in serialization.
 * The queue is a ring of packets, or an ns-3 queue disc that the link asks directly; it is the only
 * queue between the sender's TCP and the wire.
 */
class Link final : public ns3::NetDevice, public Egress
{
  public:
    static ns3::TypeId GetTypeId();

    /** @param context the id that the peer's events carry in ns-3's log, a node's id.
     *  @param stream of the queue disc's draws, if it has one that draws. */
    Link(const LinkConfig& config, uint32_t context, int64_t stream = 0);

    /** Make @p a and @p b the two ends of one link. */
    static void Connect(Link& a, Link& b);

    /** Packets that arrive at this end go to @p forwarder instead of to a host's stack. */
    void DeliverTo(Switch* forwarder);

    /** Packets that this end has sent are lost on the way as @p model says. */
    void SetErrorModel(const ns3::Ptr<ns3::ErrorModel>& model)
    {
        m_errors = model;
    }

    void Transmit(const ns3::Ptr<ns3::Packet>& packet) override;
    Switch* Next(const FlowKey& key) const override;
    void SetObserver(Observer observer) override;

    PortMeter& Meter()
    {
        return m_meter;
    }

    /** Packets that have left the queue and not yet arrived. */
    uint64_t InFlight() const
    {
        return m_inFlight;
    }

    // ns3::NetDevice, as a host's stack sees it
    void SetIfIndex(const uint32_t index) override;
    uint32_t GetIfIndex() const override;
    ns3::Ptr<ns3::Channel> GetChannel() const override;
    void SetAddress(ns3::Address address) override;
    ns3::Address GetAddress() const override;
    bool SetMtu(const uint16_t mtu) override;
    uint16_t GetMtu() const override;
    bool IsLinkUp() const override;
    void AddLinkChangeCallback(ns3::Callback<void> callback) override;
    bool IsBroadcast() const override;
    ns3::Address GetBroadcast() const override;
    bool IsMulticast() const override;
    ns3::Address GetMulticast(ns3::Ipv4Address group) const override;
    ns3::Address GetMulticast(ns3::Ipv6Address group) const override;
    bool IsPointToPoint() const override;
    bool IsBridge() const override;
    bool Send(ns3::Ptr<ns3::Packet> packet,
              const ns3::Address& destination,
              uint16_t protocol) override;
    bool SendFrom(ns3::Ptr<ns3::Packet> packet,
                  const ns3::Address& source,
                  const ns3::Address& destination,
                  uint16_t protocol) override;
    ns3::Ptr<ns3::Node> GetNode() const override;
    void SetNode(ns3::Ptr<ns3::Node> node) override;
    bool NeedsArp() const override;
    void SetReceiveCallback(ReceiveCallback callback) override;
    void SetPromiscReceiveCallback(PromiscReceiveCallback callback) override;
    bool SupportsSendFrom() const override;

    static constexpr uint16_t MTU = 1500;

  private:
    bool Accept(const ns3::Ptr<ns3::Packet>& packet);
    bool AcceptInRing(const ns3::Ptr<ns3::Packet>& packet);
    bool AcceptInDisc(const ns3::Ptr<ns3::Packet>& packet);
    void SendNextFromDisc();
    ns3::Time SerializationTime(uint32_t bytes);
    void StartTransmission(const ns3::Ptr<ns3::Packet>& packet);
    void TransmissionComplete();
    void Receive(ns3::Ptr<ns3::Packet> packet);

    LinkConfig m_config;
    uint32_t m_context;
    PacketRing m_queue;
    ns3::Ptr<ns3::QueueDisc> m_disc; ///< used instead of the ring, if set
    PortMeter m_meter;
    bool m_busy{false};
    uint64_t m_inFlight{0};
    uint32_t m_lastSize{0}; ///< serialization times are asked for the same size in a row
    ns3::Time m_lastTime;
    ns3::Ptr<ns3::ErrorModel> m_errors;
    Observer m_observer;
    Link* m_peer{nullptr};
    Switch* m_forwarder{nullptr};
    ReceiveCallback m_toStack;
    ns3::Ptr<ns3::Node> m_node;
    uint32_t m_ifIndex{0};
    ns3::Mac48Address m_mac;
};

} // namespace windtunnel
