// SPDX-License-Identifier: GPL-2.0-only
#include "workloads/transport.h"

#include "congestion/attributes.h"
#include "congestion/catalogue.h"

#include "ns3/boolean.h"
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

Transport::Transport(const TransportSpec& transport, const AlgorithmSpec& algorithm)
    : m_transport(transport),
      m_algorithm(algorithm)
{
}

Ptr<TcpSocketBase>
Transport::MakeSocket(const Ptr<Node>& node) const
{
    auto control = MakeCongestionControl(m_algorithm);
    auto socket = DynamicCast<TcpSocketBase>(
        node->GetObject<TcpL4Protocol>()->CreateSocket(control->GetInstanceTypeId(),
                                                       RecoveryType(m_transport)));
    socket->SetCongestionControlAlgorithm(control);
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
    return socket;
}

json
Transport::Effective(const Ptr<Node>& node) const
{
    auto socket = MakeSocket(node);
    auto control = MakeCongestionControl(m_algorithm);
    auto rtt = CreateObject<RttMeanDeviation>();
    return {{"socket", EffectiveAttributes(*socket)},
            {"congestion_control",
             {{"type", control->GetInstanceTypeId().GetName()},
              {"attributes", EffectiveAttributes(*control)}}},
            {"recovery", RecoveryType(m_transport).GetName()},
            {"rtt_estimator",
             {{"type", rtt->GetInstanceTypeId().GetName()},
              {"attributes", EffectiveAttributes(*rtt)}}}};
}

} // namespace windtunnel
