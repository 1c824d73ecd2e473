// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "congestion/receiver_driven_socket.h"

#include "ns3/random-variable-stream.h"

namespace windtunnel
{

/** What an IA-TCP aggregator divides among its senders. */
struct IaTcpShare
{
    ns3::DataRate bottleneck;
    ns3::Time baseRtt; ///< of a full segment, serialization included
    uint32_t senders;
    uint32_t segmentBytes;

    /** Segments each sender may have outstanding: equation 4, made whole; at least one. */
    uint32_t WindowSegments(bool roundUp) const;

    /** By how much every ACK is delayed, so that equation 3 holds with equality; never negative. */
    ns3::Time AckDelay(bool roundUp) const;
};

/**
 * The receiving end of IA-TCP (Hwang, Yoo and Choi, ICC 2012), as Chan and Chang describe it:
 * the aggregator sets every sender's advertised window to W = C RTTmin / (MSS n) (equation 4) and
 * delays ACKs, so that n W MSS / (RTTmin + D) = C (equation 3 with equality). The first ACKs of a
 * round are delayed by a random time more, which spreads the senders over the period.
 *
 * Every segment is acknowledged, whatever the delayed-ACK count of the transport: a window of one
 * segment would wait for the delayed ACK's timer. n is the number of flows that the receiver gets over
 * the whole run, C the rate of a fat-tree's host link, of a dumbbell's bottleneck (for every flow, as
 * each has a receiver of its own there), or of the link to incast's client.
 *
 * Each delayed ACK keeps the acknowledgement number that it had: sending the newest number late
 * would look like duplicate ACKs. Senders run any congestion control, NewReno in the studies.
 */
class IaTcpSocket : public ReceiverDrivenSocket
{
  public:
    enum class Rounding
    {
        Ceil,
        Floor
    };

    static ns3::TypeId GetTypeId();
    ns3::TypeId GetInstanceTypeId() const override;

    IaTcpSocket();
    IaTcpSocket(const IaTcpSocket& other);

    void Configure(const ReceiverContext& context) override;

    /** The next ACKs are shifted by a new random time. */
    void BeginRound() override;

    /** It spaces the ACK of every segment: one held back for a second would stop the sender. */
    bool AcknowledgesEverySegment() const override
    {
        return true;
    }

  protected:
    ns3::Ptr<ns3::TcpSocketBase> Fork() override;
    uint16_t AdvertisedWindowSize(bool scale = true) const override;
    void SendEmptyPacket(uint8_t flags) override;

  private:
    ns3::Time DelayOfNextAck();
    void SendAckLater(uint8_t flags, ns3::Time delay);
    void SendPrepared(ns3::Ptr<ns3::Packet> packet, ns3::TcpHeader header);

    Rounding m_rounding{Rounding::Ceil};
    IaTcpShare m_share{};
    ns3::Ptr<ns3::UniformRandomVariable> m_uniform;
    bool m_roundBegins{true};
    ns3::Time m_shift;       ///< of this round's first period
    ns3::Time m_shiftUntil;  ///< when that period ends
    ns3::Time m_lastAckSent; ///< when the last prepared ACK leaves; they never overtake
};

} // namespace windtunnel
