// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <string>

namespace windtunnel
{

/** Settings of every TCP socket. */
struct TransportSpec
{
    uint32_t segmentBytes;
    uint32_t initialCwndSegments;
    uint32_t initialSsthreshBytes;
    bool sack;
    bool timestamps;
    bool windowScaling;
    bool ecn;
    uint32_t delayedAckCount;
    int64_t delayedAckTimeoutNs;
    int64_t minRtoNs;
    std::string recovery; ///< `prr` or `classic`
    uint32_t sendBufferBytes;
    uint32_t receiveBufferBytes;

    /** IP and TCP headers of a data packet. */
    uint32_t HeaderBytes() const
    {
        return 40 + (timestamps ? 12 : 0);
    }

    /** IP bytes of a full data packet. */
    uint32_t PacketBytes() const
    {
        return segmentBytes + HeaderBytes();
    }
};

} // namespace windtunnel
