// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "topologies/topology.h"
#include "workloads/flow_group.h"
#include "workloads/schedule.h"
#include "workloads/tcp_sender.h"
#include "workloads/transport_spec.h"

#include "ns3/node.h"
#include "ns3/tcp-socket-base.h"

#include <nlohmann/json.hpp>

#include <vector>

namespace windtunnel
{

/** Makes TCP sockets as a run's transport settings and its groups' algorithms say. */
class Transport
{
  public:
    Transport(TransportSpec transport,
              const std::vector<FlowGroup>& groups,
              const TopologySpec& topology,
              const Schedule& schedule);

    /** A socket that will send @p flow, not yet bound, with a congestion control of its own. */
    ns3::Ptr<TcpSender> MakeSender(const ns3::Ptr<ns3::Node>& node,
                                   const PlannedFlow& planned,
                                   uint32_t flow) const;

    /** A socket that will receive @p flow; both ends run the same algorithm. */
    ns3::Ptr<ns3::TcpSocketBase> MakeListener(const ns3::Ptr<ns3::Node>& node,
                                              const PlannedFlow& planned,
                                              uint32_t flow) const;

    /** Every attribute of socket, congestion control and RTT estimator that a group's senders have. */
    nlohmann::json Effective(const ns3::Ptr<ns3::Node>& node, uint32_t group) const;

  private:
    void SetUp(const ns3::Ptr<ns3::TcpSocketBase>& socket,
               const ns3::Ptr<ns3::Node>& node,
               const PlannedFlow& planned,
               uint32_t flow) const;

    TransportSpec m_transport;
    std::vector<FlowGroup> m_groups;
    uint64_t m_bottleneckBps;
    int64_t m_baseRttNs;
    std::vector<uint32_t> m_sendersTo; ///< by receiving host: how many flows it receives
};

} // namespace windtunnel
