// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace windtunnel
{

/** Where a port stands in the topology; drops are reported per tier. */
enum class Tier
{
    Host,
    Edge,
    Aggregation,
    Core,
    Access,    ///< a router's port to a host, on a dumbbell or in front of incast's servers
    Bottleneck ///< the port that a dumbbell or incast is about
};

std::string ToString(Tier tier);

/**
 * What one egress port has done: packet counters, and for how long its queue had each length.
 *
 * Counters are plain fields that the port increments itself, not trace callbacks, so that measuring
 * costs a few additions a packet. A packet in transmission is not in the queue.
 */
class PortMeter
{
  public:
    struct Counters
    {
        uint64_t offeredPackets{0};
        uint64_t droppedPackets{0};   ///< by the queue
        uint64_t markedPackets{0};    ///< congestion experienced (RFC 3168)
        uint64_t sentPackets{0};      ///< handed to the transmitter
        uint64_t sentBytes{0};        ///< IP bytes of those
        uint64_t deliveredPackets{0}; ///< arrived at the other end
        uint64_t lostPackets{0};      ///< by the link's error model
        int64_t busyNs{0};            ///< time in transmission
    };

    Counters total;

    void Enqueued(int64_t nowNs)
    {
        Account(nowNs);
        ++m_length;
    }

    void Dequeued(int64_t nowNs)
    {
        Account(nowNs);
        --m_length;
    }

    void SetLength(int64_t nowNs, uint32_t packets)
    {
        Account(nowNs);
        m_length = packets;
    }

    uint32_t Length() const
    {
        return m_length;
    }

    /** A transmission of @p ns begins; it counts as time goes by, not at once. */
    void TransmissionBegins(int64_t nowNs, int64_t ns)
    {
        total.busyNs += ns;
        m_busyUntilNs = nowNs + ns;
    }

    /** Time in transmission until @p nowNs. */
    int64_t BusyNs(int64_t nowNs) const
    {
        return total.busyNs - std::max<int64_t>(0, m_busyUntilNs - nowNs);
    }

    /** Forget the queue's history and remember the counters: what Since() reports starts here. */
    void BeginMeasurement(int64_t nowNs);

    /** Counters from BeginMeasurement until @p nowNs, which is now. */
    Counters Since(int64_t nowNs) const;

    /** Time-weighted queue length since BeginMeasurement, in packets. */
    struct Occupancy
    {
        double mean{0};
        uint32_t p95{0};
        uint32_t max{0};
    };

    Occupancy QueueOccupancy(int64_t nowNs);

  private:
    void Account(int64_t nowNs)
    {
        if (m_length >= m_nsAtLength.size())
        {
            m_nsAtLength.resize(2 * m_length + 16);
        }
        m_nsAtLength[m_length] += nowNs - m_sinceNs;
        m_sinceNs = nowNs;
    }

    uint32_t m_length{0};
    int64_t m_sinceNs{0};
    int64_t m_busyUntilNs{0};
    std::vector<int64_t> m_nsAtLength;
    Counters m_atWarmup;
};

} // namespace windtunnel
