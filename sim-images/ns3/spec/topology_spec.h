// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "fabric/link_config.h"
#include "spec/fields.h"

#include <cstdint>
#include <variant>
#include <vector>

namespace windtunnel
{

struct FatTreeSpec
{
    enum class Rack
    {
        PointToPoint,
        SharedLan
    };
    enum class Routing
    {
        SinglePath,
        EcmpFlow,
        EcmpPacket
    };
    uint32_t k;
    Rack rack;
    Routing routing;
    LinkRate hostLink;        ///< between hosts and edge switches
    LinkRate aggregationLink; ///< between edge and aggregation switches
    LinkRate coreLink;        ///< between aggregation and core switches
    QueueConfig hostQueue;    ///< of hosts' interfaces
    QueueConfig edgeQueue;    ///< of every port of an edge switch
    QueueConfig aggregationQueue;
    QueueConfig coreQueue;
};

/** Sender i and receiver i on access links of two routers, with one bottleneck between these. */
struct DumbbellSpec
{
    uint32_t pairs;
    LinkRate access;
    LinkRate bottleneck;
    double lossRate; ///< probability that a packet is lost on the bottleneck's data direction
    QueueConfig queue;
    QueueConfig accessQueue;
};

/** Servers and one client on one switch. */
struct IncastTopologySpec
{
    uint32_t servers;
    LinkRate link;
    LinkRate clientLink;
    QueueConfig queue; ///< at the switch's port to the client
    QueueConfig accessQueue;
};

using TopologyKind = std::variant<FatTreeSpec, DumbbellSpec, IncastTopologySpec>;

/** Hosts by number, first to first + count - 1. */
struct HostRange
{
    uint32_t first;
    uint32_t count;
};

/** What follows from a topology's parameters before anything is built. */
struct TopologySpec
{
    TopologyKind kind;
    HostRange senders;
    HostRange receivers;
    uint32_t hosts;
    uint64_t linkRateBps; ///< the rate that `ideal_throughput_pct` is a share of
    uint64_t loadRateBps; ///< the rate that a `mixed` workload's load is a share of
    std::vector<LinkRate> longestPath;
    bool watchesDeviceQueues{false}; ///< some queue names ns-3.25's device queue

    /** Propagation there and back along the longest path. */
    int64_t PropagationRttNs() const;

    /** The same with the serialization of one data packet and of its ACK at every hop. */
    int64_t BaseRttNs(uint32_t dataBytes, uint32_t ackBytes) const;
};

/** @param packetBytes of a full packet, for queue limits in bandwidth-delay products.
 *  @throws SpecError */
TopologySpec ReadTopology(Fields fields, uint32_t packetBytes);

} // namespace windtunnel
