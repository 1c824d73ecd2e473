// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "topologies/network.h"
#include "topologies/topology.h"

namespace windtunnel
{

/** Parameters of the topology `incast`. */
struct IncastTopologySpec
{
    uint32_t servers;
    LinkRate link;
    LinkRate clientLink;
    QueueConfig queue; ///< at the switch's port to the client
    QueueConfig accessQueue;
};

/**
 * n servers and one client on one switch (Nagle et al., SC 2004; Chan and Chang's Figure 2).
 *
 * Hosts 0 to n - 1 are the servers, host n the client; host h has the address 10.0.0.0 + h + 1. The
 * switch's ports are `switch.port0` ... to the servers and `bottleneck` to the client.
 */
class Incast final : public Network
{
  public:
    explicit Incast(const IncastTopologySpec& spec);

    ns3::Ipv4Address Address(uint32_t host) const override;
};

} // namespace windtunnel
