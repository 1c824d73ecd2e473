// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "topologies/topology.h"
#include "workloads/connections.h"
#include "workloads/transport_spec.h"

#include <cstdint>
#include <vector>

namespace windtunnel
{

/** What traffic is driven over. */
struct TrafficContext
{
    Connections& connections;
    const TransportSpec& transport;
    const TopologySpec& topology;
};

/** One synchronized round. */
struct Round
{
    int64_t beginNs;
    int64_t endNs{-1}; ///< when the last byte of the last server arrived
};

/** Synchronized rounds that have begun. */
struct RoundLog
{
    std::vector<Round> rounds{};
    uint64_t bytesARound{0}; ///< of all servers together
};

/** Drives a schedule's flows over their connections, from its construction on. */
class Traffic
{
  public:
    virtual ~Traffic() = default;

    /** The rounds of synchronized traffic; null where there are none by design. */
    virtual const RoundLog* Rounds() const
    {
        return nullptr;
    }
};

} // namespace windtunnel
