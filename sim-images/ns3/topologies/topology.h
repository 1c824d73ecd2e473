// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "base/fields.h"
#include "fabric/link_config.h"

#include <any>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace windtunnel
{

class Network;

/** Hosts by number, first to first + count - 1. */
struct HostRange
{
    uint32_t first;
    uint32_t count;

    bool Contains(uint32_t host) const
    {
        return host >= first && host - first < count;
    }
};

/** A topology with its parameters: what follows from them, and how to build it. */
struct TopologySpec
{
    HostRange senders;
    HostRange receivers;
    uint32_t hosts;
    uint64_t linkRateBps; ///< the rate that `ideal_throughput_pct` is a share of
    uint64_t loadRateBps; ///< the rate that a `mixed` workload's load is a share of
    std::vector<LinkRate> longestPath;
    bool hasRandomLoss{false};       ///< some link can lose packets at random
    bool watchesDeviceQueues{false}; ///< some queue names ns-3.25's device queue

    std::any parameters{}; ///< of the kind, for a program that builds the same network otherwise
    /** @param seed decides between equal paths */
    std::function<std::unique_ptr<Network>(uint64_t seed)> build{};

    /** Propagation there and back along the longest path. */
    int64_t PropagationRttNs() const;

    /** The same with the serialization of one data packet and of its ACK at every hop. */
    int64_t BaseRttNs(uint32_t dataBytes, uint32_t ackBytes) const;
};

/** A kind of topology that a spec can name. */
struct TopologyKind
{
    /** Reads the parameters. @param packetBytes of a full packet, for limits in BDPs.
     *  @throws SpecError */
    using Reader = TopologySpec (*)(Fields& fields, uint32_t packetBytes);

    std::string name;
    /** JSON Schema of the parameters, with what follows from them as expressions
     *  (docs/sim-image-contract.md). */
    std::string schema;
    Reader read;
};

/**
 * Adds a kind of topology before main() begins. One of these in the .cc of a pair in this folder is
 * all that a topology needs.
 */
class TopologyRegistration
{
  public:
    explicit TopologyRegistration(TopologyKind kind);
};

/** Every kind, by name. */
const std::vector<TopologyKind>& TopologyKinds();

/** @param packetBytes of a full packet, for queue limits in bandwidth-delay products.
 *  @throws SpecError */
TopologySpec ReadTopology(Fields fields, uint32_t packetBytes);

} // namespace windtunnel
