// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "topologies/network.h"
#include "topologies/topology.h"

namespace windtunnel
{

/** Parameters of a dumbbell. */
struct DumbbellSpec
{
    uint32_t pairs;
    LinkRate access;
    LinkRate bottleneck;
    double lossRate; ///< probability that a packet is lost on the bottleneck's data direction
    QueueConfig queue;
    QueueConfig accessQueue;
};

/**
 * n senders on a left router, n receivers on a right one, and one link between the routers.
 *
 * Hosts 0 to n - 1 send, n to 2n - 1 receive; host h has the address 10.0.0.0 + h + 1. The left
 * router's ports are `left.port0` ... and `bottleneck`; the right one's `right.port0` ... and
 * `bottleneck.reverse`. Packets are lost at random on `bottleneck` only.
 */
class Dumbbell final : public Network
{
  public:
    explicit Dumbbell(const DumbbellSpec& spec);

    ns3::Ipv4Address Address(uint32_t host) const override;
};

} // namespace windtunnel
