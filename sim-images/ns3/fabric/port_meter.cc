// SPDX-License-Identifier: GPL-2.0-only
#include "fabric/port_meter.h"

#include <algorithm>

namespace windtunnel
{

std::string
ToString(Tier tier)
{
    switch (tier)
    {
    case Tier::Host:
        return "host";
    case Tier::Edge:
        return "edge";
    case Tier::Aggregation:
        return "aggregation";
    case Tier::Core:
        return "core";
    case Tier::Access:
        return "access";
    case Tier::Bottleneck:
        return "bottleneck";
    }
    return "unknown";
}

void
PortMeter::BeginMeasurement(int64_t nowNs)
{
    std::fill(m_nsAtLength.begin(), m_nsAtLength.end(), 0);
    m_sinceNs = nowNs;
    m_atWarmup = total;
    m_atWarmup.busyNs = BusyNs(nowNs);
}

PortMeter::Counters
PortMeter::Since(int64_t nowNs) const
{
    return {.offeredPackets = total.offeredPackets - m_atWarmup.offeredPackets,
            .droppedPackets = total.droppedPackets - m_atWarmup.droppedPackets,
            .markedPackets = total.markedPackets - m_atWarmup.markedPackets,
            .sentPackets = total.sentPackets - m_atWarmup.sentPackets,
            .sentBytes = total.sentBytes - m_atWarmup.sentBytes,
            .deliveredPackets = total.deliveredPackets - m_atWarmup.deliveredPackets,
            .lostPackets = total.lostPackets - m_atWarmup.lostPackets,
            .busyNs = BusyNs(nowNs) - m_atWarmup.busyNs};
}

PortMeter::Occupancy
PortMeter::QueueOccupancy(int64_t nowNs)
{
    Account(nowNs);
    int64_t elapsed = 0;
    double weighted = 0;
    Occupancy occupancy;
    for (uint32_t length = 0; length < m_nsAtLength.size(); ++length)
    {
        if (m_nsAtLength[length] > 0)
        {
            elapsed += m_nsAtLength[length];
            weighted += static_cast<double>(length) * static_cast<double>(m_nsAtLength[length]);
            occupancy.max = length;
        }
    }
    if (elapsed == 0)
    {
        return occupancy;
    }
    occupancy.mean = weighted / static_cast<double>(elapsed);
    int64_t below = 0;
    for (uint32_t length = 0; length < m_nsAtLength.size(); ++length)
    {
        below += m_nsAtLength[length];
        if (below * 100 >= elapsed * 95)
        {
            occupancy.p95 = length;
            break;
        }
    }
    return occupancy;
}

} // namespace windtunnel
