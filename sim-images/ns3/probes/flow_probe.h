// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "probes/delay_histogram.h"

#include "ns3/ipv4-header.h"
#include "ns3/ipv4.h"
#include "ns3/node.h"
#include "ns3/packet.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace windtunnel
{

/** One direction of one flow as the IP layers at its ends see it; FlowMonitor's quantities. */
struct FlowDirection
{
    uint64_t txPackets{0};
    uint64_t txBytes{0}; ///< with IP headers, as FlowMonitor counts
    uint64_t rxPackets{0};
    uint64_t rxBytes{0};
    int64_t delaySumNs{0};
    int64_t firstTxNs{-1};
    int64_t lastRxNs{-1};
    uint64_t markedPackets{0};   ///< received with congestion experienced
    uint64_t ns325RxBytes{0};    ///< received bytes, but for packets that a full device queue met
};

/** Of the packets that carry data and arrived at or after the warm-up. */
struct DataDelay
{
    uint64_t packets{0};
    int64_t sumNs{0};
    int64_t minExcessNs{std::numeric_limits<int64_t>::max()}; ///< over the physical floor
};

/**
 * Counts and one-way delays of every flow, at the hosts' IP layers.
 *
 * A packet carries the instant at which it was sent in a tag; nothing is looked up by packet, which
 * is what makes FlowMonitor cost a third of a run. Packets received before the warm-up ends are
 * counted nowhere, nor are those sent before it in `txPackets`.
 */
class FlowProbe
{
  public:
    /** @p floorNs(flow, ipBytes): least time that a data packet of that size can take. */
    using Floor = std::function<int64_t(uint32_t flow, uint32_t ipBytes)>;

    struct Setting
    {
        uint32_t flows;
        uint16_t firstPort; ///< of the flows' receivers, in order
        int64_t warmupNs;
        bool watchesDeviceQueues; ///< some queue notes what ns-3.25's device would have refused
    };

    FlowProbe(const Setting& setting, Floor floor);

    void Observe(const ns3::Ptr<ns3::Node>& host);

    const std::vector<FlowDirection>& Data() const
    {
        return m_data;
    }

    const std::vector<FlowDirection>& Acks() const
    {
        return m_acks;
    }

    const std::vector<DataDelay>& Delays() const
    {
        return m_delays;
    }

    const DelayHistogram& Histogram() const
    {
        return m_histogram;
    }

    /** Packets that hosts sent and received since time zero, for conservation. */
    uint64_t AllSent() const
    {
        return m_allSent;
    }

    uint64_t AllReceived() const
    {
        return m_allReceived;
    }

  private:
    void Sent(const ns3::Ipv4Header& header, ns3::Ptr<const ns3::Packet> packet, uint32_t interface);
    void Received(const ns3::Ipv4Header& header,
                  ns3::Ptr<const ns3::Packet> packet,
                  uint32_t interface);

    uint16_t m_firstPort;
    int64_t m_warmupNs;
    bool m_watchesDeviceQueues;
    Floor m_floor;
    std::vector<FlowDirection> m_data;
    std::vector<FlowDirection> m_acks;
    std::vector<DataDelay> m_delays;
    DelayHistogram m_histogram;
    uint64_t m_allSent{0};
    uint64_t m_allReceived{0};
};

} // namespace windtunnel
