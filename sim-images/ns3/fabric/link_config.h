// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "fabric/queue_config.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

namespace windtunnel
{

/** Rate and propagation delay of a link; the same in both directions. */
struct LinkRate
{
    static constexpr uint32_t FRAMING_BYTES = 2; ///< PPP's, on every packet

    ns3::DataRate rate;
    ns3::Time delay;

    /** Time in transmission of a packet of @p bytes IP bytes, framing included. */
    ns3::Time SerializationTime(uint32_t bytes) const
    {
        return rate.CalculateBytesTxTime(bytes + FRAMING_BYTES);
    }
};

/** One direction of a link, with the queue before it. */
struct LinkConfig
{
    LinkRate link;
    QueueConfig queue;
};

} // namespace windtunnel
