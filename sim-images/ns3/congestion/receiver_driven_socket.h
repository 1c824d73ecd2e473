// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/tcp-socket-base.h"

#include <cstdint>

namespace windtunnel
{

/** What a receiver-driven algorithm knows of the flows that it receives. */
struct ReceiverContext
{
    ns3::DataRate bottleneck; ///< a fat-tree's host link, a dumbbell's bottleneck, incast's client link
    ns3::Time baseRtt;        ///< of a full segment, serialization included
    uint32_t senders;         ///< flows that the receiving host gets over the whole run
    uint32_t segmentBytes;
    int64_t stream; ///< of the algorithm's own draws for this flow
};

/** A receiving socket with a say in its senders' rate; the `.receiver` of an Algorithm. */
class ReceiverDrivenSocket : public ns3::TcpSocketBase
{
  public:
    /** Called once, before the socket listens. */
    virtual void Configure(const ReceiverContext& context) = 0;

    /** Called when the senders are about to begin a synchronized round together. */
    virtual void BeginRound()
    {
    }

    /** Whether the transport's delayed-ACK count is overruled by 1. */
    virtual bool AcknowledgesEverySegment() const
    {
        return false;
    }
};

} // namespace windtunnel
