// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "spec/run_spec.h"

#include "ns3/node.h"
#include "ns3/tcp-socket-base.h"

#include <nlohmann/json.hpp>

namespace windtunnel
{

/** Makes TCP sockets as a run's transport settings and algorithm say. */
class Transport
{
  public:
    Transport(const TransportSpec& transport, const AlgorithmSpec& algorithm);

    /** A socket of @p node, not yet bound, with its own congestion control object. */
    ns3::Ptr<ns3::TcpSocketBase> MakeSocket(const ns3::Ptr<ns3::Node>& node) const;

    /** Every attribute of socket, congestion control and RTT estimator that such a socket has. */
    nlohmann::json Effective(const ns3::Ptr<ns3::Node>& node) const;

  private:
    TransportSpec m_transport;
    AlgorithmSpec m_algorithm;
};

} // namespace windtunnel
