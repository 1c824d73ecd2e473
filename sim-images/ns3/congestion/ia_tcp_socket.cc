// SPDX-License-Identifier: GPL-2.0-only
#include "congestion/ia_tcp_socket.h"

#include "congestion/catalogue.h"

#include "ns3/enum.h"
#include "ns3/ipv4-end-point.h"
#include "ns3/simulator.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/tcp-rx-buffer.h"

#include <algorithm>
#include <cmath>

using namespace ns3;

namespace windtunnel
{

NS_OBJECT_ENSURE_REGISTERED(IaTcpSocket);

namespace
{

const AlgorithmRegistration REGISTRATION({
    .name = "ia-tcp",
    .type = "ns3::TcpNewReno",
    .category = "receiver-based",
    .summary = "The receiver divides the bandwidth-delay product among the flows that it receives "
               "and spaces their ACKs; senders run NewReno.",
    .formula = "W = C RTTmin/(MSS n); ACKs delayed by n W MSS/C - RTTmin",
    .source = "Hwang, Yoo and Choi, ICC 2012; Chan and Chang",
    .constraints = {{{"path", "workload.kind"},
                     {"require", "!('arrivals' in traits)"},
                     {"message",
                      "ia-tcp divides a link among a number of flows that it knows; with transfers "
                      "that come and go there is none"}}},
    .receiver = "windtunnel::IaTcpSocket",
});

} // namespace

uint32_t
IaTcpShare::WindowSegments(bool roundUp) const
{
    const double bytes = static_cast<double>(bottleneck.GetBitRate()) / 8 * baseRtt.GetSeconds();
    const double window = bytes / segmentBytes / senders;
    const double whole = roundUp ? std::ceil(window) : std::floor(window);
    return static_cast<uint32_t>(std::max(1.0, whole));
}

Time
IaTcpShare::AckDelay(bool roundUp) const
{
    const uint64_t bytes = uint64_t{senders} * WindowSegments(roundUp) * segmentBytes;
    const double seconds = static_cast<double>(bytes) * 8 /
                           static_cast<double>(bottleneck.GetBitRate());
    return std::max(Time(0), Seconds(seconds) - baseRtt);
}

TypeId
IaTcpSocket::GetTypeId()
{
    static TypeId tid =
        TypeId("windtunnel::IaTcpSocket")
            .SetParent<TcpSocketBase>()
            .SetGroupName("Windtunnel")
            .AddConstructor<IaTcpSocket>()
            .AddAttribute("Rounding",
                          "How the advertised window becomes whole segments; with Floor the "
                          "protocol turns into stop-and-wait at some numbers of senders",
                          EnumValue(Rounding::Ceil),
                          MakeEnumAccessor<Rounding>(&IaTcpSocket::m_rounding),
                          MakeEnumChecker(Rounding::Ceil, "Ceil", Rounding::Floor, "Floor"));
    return tid;
}

TypeId
IaTcpSocket::GetInstanceTypeId() const
{
    return GetTypeId();
}

IaTcpSocket::IaTcpSocket() = default;

IaTcpSocket::IaTcpSocket(const IaTcpSocket& other)
    : ReceiverDrivenSocket(other),
      m_rounding(other.m_rounding),
      m_share(other.m_share),
      m_uniform(other.m_uniform) // listener and accepted socket draw from one stream
{
}

void
IaTcpSocket::Configure(const ReceiverContext& context)
{
    m_share = {context.bottleneck, context.baseRtt, context.senders, context.segmentBytes};
    m_uniform = CreateObject<UniformRandomVariable>();
    m_uniform->SetStream(context.stream);
}

void
IaTcpSocket::BeginRound()
{
    m_roundBegins = true;
}

Ptr<TcpSocketBase>
IaTcpSocket::Fork()
{
    return CopyObject<IaTcpSocket>(this);
}

uint16_t
IaTcpSocket::AdvertisedWindowSize(bool scale) const
{
    const uint32_t segments = m_share.WindowSegments(m_rounding == Rounding::Ceil);
    return WindowOf(segments * m_share.segmentBytes, scale);
}

Time
IaTcpSocket::DelayOfNextAck()
{
    const Time delay = m_share.AckDelay(m_rounding == Rounding::Ceil);
    const Time now = Simulator::Now();
    if (m_roundBegins)
    {
        m_roundBegins = false;
        const Time period = m_share.baseRtt + delay;
        m_shift = NanoSeconds(std::llround(
            m_uniform->GetValue(0, static_cast<double>(period.GetNanoSeconds()))));
        m_shiftUntil = now + period;
    }
    return now <= m_shiftUntil ? delay + m_shift : delay;
}

void
IaTcpSocket::SendEmptyPacket(uint8_t flags)
{
    const bool plainAck = (flags & ~TcpHeader::ECE) == TcpHeader::ACK;
    const bool hasData = m_tcb->m_rxBuffer->NextRxSequence() > SequenceNumber32(1);
    if (m_state != ESTABLISHED || !plainAck || !hasData || m_endPoint == nullptr)
    {
        TcpSocketBase::SendEmptyPacket(flags);
        return;
    }
    const Time leaves = std::max(Simulator::Now() + DelayOfNextAck(), m_lastAckSent);
    m_lastAckSent = leaves;
    SendAckLater(flags, leaves - Simulator::Now());
}

void
IaTcpSocket::SendAckLater(uint8_t flags, Time delay)
{
    // What TcpSocketBase::SendEmptyPacket does for a pure ACK, but for when it leaves.
    auto packet = Create<Packet>();
    TcpHeader header;
    AddSocketTags(packet, IsEct(TcpPacketType_t::PURE_ACK));
    header.SetFlags(flags);
    header.SetSequenceNumber(m_tcb->m_nextTxSequence);
    header.SetAckNumber(m_tcb->m_rxBuffer->NextRxSequence());
    header.SetSourcePort(m_endPoint->GetLocalPort());
    header.SetDestinationPort(m_endPoint->GetPeerPort());
    AddOptions(header);
    header.SetWindowSize(AdvertisedWindowSize());
    m_delAckEvent.Cancel();
    m_delAckCount = 0;
    m_highTxAck = std::max(m_highTxAck, header.GetAckNumber());
    if (m_sackEnabled && m_tcb->m_rxBuffer->GetSackListSize() > 0)
    {
        AddOptionSack(header);
    }
    Simulator::Schedule(delay,
                        &IaTcpSocket::SendPrepared,
                        Ptr<IaTcpSocket>(this),
                        packet,
                        header);
}

void
IaTcpSocket::SendPrepared(Ptr<Packet> packet, TcpHeader header)
{
    if (m_endPoint == nullptr)
    {
        return; // closed meanwhile
    }
    m_txTrace(packet, header, this);
    m_tcp->SendPacket(packet,
                      header,
                      m_endPoint->GetLocalAddress(),
                      m_endPoint->GetPeerAddress(),
                      m_boundnetdevice);
}

} // namespace windtunnel
