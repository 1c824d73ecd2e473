// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/tcp-socket-base.h"

#include <algorithm>
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

  protected:
    /**
     * The window to advertise so that the sender has at most @p bytes outstanding: what
     * AdvertisedWindowSize() of an algorithm returns.
     *
     * Rounded up to the scale's unit: a window that falls under one segment stops the sender for
     * good, held by silly-window avoidance with no persist timer running.
     */
    uint16_t WindowOf(uint32_t bytes, bool scale) const
    {
        const uint32_t shift = scale ? m_rcvWindShift : 0;
        const uint32_t room = uint32_t{TcpSocketBase::AdvertisedWindowSize(scale)} << shift;
        const uint32_t units = (std::min(room, bytes) + (1U << shift) - 1) >> shift;
        return static_cast<uint16_t>(std::min<uint32_t>(units, m_maxWinSize));
    }
};

} // namespace windtunnel
