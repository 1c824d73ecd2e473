// SPDX-License-Identifier: GPL-2.0-only
#include "workloads/transport.h"

#include "congestion/catalogue.h"
#include "congestion/receiver_driven_socket.h"
#include "base/attributes.h"
#include "base/random_streams.h"

#include "ns3/boolean.h"
#include "ns3/enum.h"
#include "ns3/nstime.h"
#include "ns3/rtt-estimator.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/tcp-prr-recovery.h"
#include "ns3/tcp-recovery-ops.h"
#include "ns3/uinteger.h"

using namespace ns3;
using nlohmann::json;

namespace windtunnel
{
namespace
{

TypeId
RecoveryType(const TransportSpec& transport)
{
    return transport.recovery == "prr" ? TcpPrrRecovery::GetTypeId()
                                       : TcpClassicRecovery::GetTypeId();
}

} // namespace

Transport::Transport(TransportSpec transport,
                     const std::vector<FlowGroup>& groups,
                     const TopologySpec& topology,
                     const Schedule& schedule)
    : m_transport(std::move(transport)),
      m_groups(groups),
      m_bottleneckBps(topology.linkRateBps),
      m_baseRttNs(topology.BaseRttNs(m_transport.PacketBytes(), m_transport.HeaderBytes())),
      m_sendersTo(topology.hosts)
{
    for (const FlowGroup& group : m_groups)
    {
        CheckAlgorithm(group.algorithm,
                       group.name.empty() ? "scenario.algorithm"
                                          : "scenario.workload.groups (" + group.name + ").algorithm");
    }
    for (const PlannedFlow& flow : schedule.flows)
    {
        ++m_sendersTo[flow.receiver];
    }
}

Ptr<TcpSender>
Transport::MakeSender(const Ptr<Node>& node, const PlannedFlow& planned, uint32_t flow) const
{
    auto socket = CreateObject<TcpSender>();
    SetUp(socket, node, planned, flow);
    return socket;
}

Ptr<TcpSocketBase>
Transport::MakeListener(const Ptr<Node>& node, const PlannedFlow& planned, uint32_t flow) const
{
    Ptr<TcpSocketBase> socket = MakeReceiver(m_groups[planned.group].algorithm);
    auto receiver = DynamicCast<ReceiverDrivenSocket>(socket);
    if (receiver)
    {
        receiver->Configure({.bottleneck = DataRate(m_bottleneckBps),
                             .baseRtt = NanoSeconds(m_baseRttNs),
                             .senders = m_sendersTo[planned.receiver],
                             .segmentBytes = m_transport.segmentBytes,
                             .stream = streams::FIRST_RECEIVER + flow});
    }
    SetUp(socket, node, planned, flow);
    if (receiver && receiver->AcknowledgesEverySegment())
    {
        socket->SetAttribute("DelAckCount", UintegerValue(1));
    }
    return socket;
}

void
Transport::SetUp(const Ptr<TcpSocketBase>& socket,
                 const Ptr<Node>& node,
                 const PlannedFlow& planned,
                 uint32_t flow) const
{
    auto control = MakeCongestionControl(m_groups[planned.group].algorithm);
    // BBR draws its phase: ns-3 gives every flow the same stream, and so the same phase.
    control->SetAttributeFailSafe(RANDOM_STREAM, UintegerValue(streams::FIRST_CONTROL + flow));
    auto tcp = node->GetObject<TcpL4Protocol>();
    socket->SetNode(node);
    socket->SetTcp(tcp);
    socket->SetRtt(CreateObject<RttMeanDeviation>());
    socket->SetCongestionControlAlgorithm(control);
    socket->SetRecoveryAlgorithm(
        ObjectFactory(RecoveryType(m_transport).GetName()).Create<TcpRecoveryOps>());
    tcp->AddSocket(socket);
    socket->SetAttribute("SegmentSize", UintegerValue(m_transport.segmentBytes));
    socket->SetAttribute("InitialCwnd", UintegerValue(m_transport.initialCwndSegments));
    socket->SetAttribute("InitialSlowStartThreshold",
                         UintegerValue(m_transport.initialSsthreshBytes));
    socket->SetAttribute("Sack", BooleanValue(m_transport.sack));
    socket->SetAttribute("Timestamp", BooleanValue(m_transport.timestamps));
    socket->SetAttribute("WindowScaling", BooleanValue(m_transport.windowScaling));
    socket->SetAttribute("DelAckCount", UintegerValue(m_transport.delayedAckCount));
    socket->SetAttribute("DelAckTimeout", TimeValue(NanoSeconds(m_transport.delayedAckTimeoutNs)));
    socket->SetAttribute("MinRto", TimeValue(NanoSeconds(m_transport.minRtoNs)));
    socket->SetAttribute("SndBufSize", UintegerValue(m_transport.sendBufferBytes));
    socket->SetAttribute("RcvBufSize", UintegerValue(m_transport.receiveBufferBytes));
    if (m_transport.ecn)
    {
        socket->SetAttribute("UseEcn", EnumValue(TcpSocketState::On));
    }
}

json
Transport::Effective(const Ptr<Node>& node, uint32_t group) const
{
    auto socket = MakeSender(node, PlannedFlow{.sender = 0, .receiver = 0, .group = group}, 0);
    auto control = MakeCongestionControl(m_groups[group].algorithm);
    auto rtt = CreateObject<RttMeanDeviation>();
    return {{"group", m_groups[group].name},
            {"socket", EffectiveAttributes(*socket)},
            {"receiver",
             {{"type", MakeReceiver(m_groups[group].algorithm)->GetInstanceTypeId().GetName()}}},
            {"congestion_control",
             {{"type", control->GetInstanceTypeId().GetName()},
              {"attributes", EffectiveAttributes(*control)}}},
            {"recovery", RecoveryType(m_transport).GetName()},
            {"rtt_estimator",
             {{"type", rtt->GetInstanceTypeId().GetName()},
              {"attributes", EffectiveAttributes(*rtt)}}}};
}

} // namespace windtunnel
