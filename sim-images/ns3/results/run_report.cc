// SPDX-License-Identifier: GPL-2.0-only
#include "results/run_report.h"

#include <algorithm>
#include <limits>
#include <string>

namespace windtunnel
{
namespace
{

constexpr double NS_PER_MS = 1e6;

/** a / b, or 0 where b is 0. */
template <typename Numerator, typename Denominator>
double
SafeRatio(Numerator a, Denominator b)
{
    return b == 0 ? 0.0 : static_cast<double>(a) / static_cast<double>(b);
}

} // namespace

void
RunReport::Write(RecordStream& records, const std::vector<SampledSeries>& series) const
{
    WriteMetrics(records);
    for (const SampledSeries& one : series)
    {
        records.Series(one.name, one.unit, one.firstNs, one.stepNs, one.values);
    }
    WriteFlows(records);
    WritePorts(records);
    WriteChecks(records);
}

double
RunReport::MeasuredSeconds() const
{
    return static_cast<double>(m_run.spec.durationNs - m_run.spec.warmupNs) / 1e9;
}

double
RunReport::GoodputMbps(uint32_t flow) const
{
    const auto bytes = static_cast<double>(m_run.workload.Deliveries()[flow].bytesMeasured);
    return bytes * 8 / 1e6 / MeasuredSeconds();
}

uint64_t
RunReport::DropsAt(Tier tier) const
{
    uint64_t drops = 0;
    for (const Port& port : m_run.tree.Ports())
    {
        if (port.tier == tier)
        {
            drops += port.meter->Since().droppedPackets;
        }
    }
    return drops;
}

void
RunReport::WriteMetrics(RecordStream& records) const
{
    WriteGoodput(records);
    WriteDelays(records);
    const uint64_t edge = DropsAt(Tier::Edge);
    const uint64_t aggregation = DropsAt(Tier::Aggregation);
    const uint64_t core = DropsAt(Tier::Core);
    records.Metric("drops_total", static_cast<double>(edge + aggregation + core));
    records.Metric("drops_edge", static_cast<double>(edge));
    records.Metric("drops_aggregation", static_cast<double>(aggregation));
    records.Metric("drops_core", static_cast<double>(core));
    records.Metric("drops_host", static_cast<double>(DropsAt(Tier::Host)));
    WriteQueues(records);
}

void
RunReport::WriteGoodput(RecordStream& records) const
{
    const uint32_t flows = m_run.spec.workload.flows;
    double sum = 0;
    double sumOfSquares = 0;
    double flowmonitor = 0;
    for (uint32_t flow = 0; flow < flows; ++flow)
    {
        const double goodput = GoodputMbps(flow);
        sum += goodput;
        sumOfSquares += goodput * goodput;
        const FlowDirection& data = m_run.flows.Data()[flow];
        flowmonitor += SafeRatio(8e3 * static_cast<double>(data.rxBytes),
                                 std::max<int64_t>(0, data.lastRxNs - data.firstTxNs));
    }
    const double linkMbps = static_cast<double>(m_run.spec.topology.link.rate.GetBitRate()) / 1e6;
    records.Metric("goodput_mbps", sum / flows);
    records.Metric("goodput_total_mbps", sum);
    records.Metric("ideal_throughput_pct", 100 * sum / flows / linkMbps);
    records.Metric("flowmonitor_throughput_pct", 100 * flowmonitor / flows / linkMbps);
    records.Metric("jain_fairness", sumOfSquares == 0 ? 1 : sum * sum / (flows * sumOfSquares));
}

void
RunReport::WriteDelays(RecordStream& records) const
{
    uint64_t packets = 0;
    int64_t sumNs = 0;
    for (const DataDelay& delay : m_run.flows.Delays())
    {
        packets += delay.packets;
        sumNs += delay.sumNs;
    }
    if (packets == 0)
    {
        return; // a delay that nobody had is no metric, not a zero
    }
    records.Metric("packet_delay_ms_mean",
                   static_cast<double>(sumNs) / static_cast<double>(packets) / NS_PER_MS);
    const DelayHistogram& histogram = m_run.flows.Histogram();
    records.Metric("packet_delay_ms_p50", histogram.Quantile(50) / NS_PER_MS);
    records.Metric("packet_delay_ms_p95", histogram.Quantile(95) / NS_PER_MS);
    records.Metric("packet_delay_ms_p99", histogram.Quantile(99) / NS_PER_MS);
}

void
RunReport::WriteQueues(RecordStream& records) const
{
    PortMeter::Occupancy fullest;
    uint32_t max = 0;
    double busiest = 0;
    for (const Port& port : m_run.tree.Ports())
    {
        if (port.tier == Tier::Host)
        {
            continue;
        }
        const auto occupancy = port.meter->QueueOccupancy(m_run.spec.durationNs);
        max = std::max(max, occupancy.max);
        if (occupancy.mean > fullest.mean)
        {
            fullest = occupancy;
        }
        busiest = std::max(busiest, static_cast<double>(port.meter->Since().busyNs) / 1e9);
    }
    records.Metric("queue_length_mean", fullest.mean);
    records.Metric("queue_length_p95", fullest.p95);
    records.Metric("queue_length_max", max);
    records.Metric("link_utilization_max", 100 * busiest / MeasuredSeconds());
}

void
RunReport::WriteFlows(RecordStream& records) const
{
    for (uint32_t flow = 0; flow < m_run.spec.workload.flows; ++flow)
    {
        const Schedule::Flow& pair = m_run.schedule.flows[flow];
        const FlowDirection& data = m_run.flows.Data()[flow];
        const FlowDirection& acks = m_run.flows.Acks()[flow];
        const DataDelay& delay = m_run.flows.Delays()[flow];
        const double meanNs = SafeRatio(delay.sumNs, delay.packets);
        records.Flow({{"flow", flow},
                      {"source", pair.sender},
                      {"destination", pair.receiver},
                      {"hops", m_run.tree.Hops(pair.sender, pair.receiver)},
                      {"connected", m_run.workload.Deliveries()[flow].connected},
                      {"bytes", m_run.workload.Deliveries()[flow].bytesMeasured},
                      {"goodput_mbps", GoodputMbps(flow)},
                      {"tx_packets", data.txPackets},
                      {"rx_packets", data.rxPackets},
                      {"delay_sum_ns", data.delaySumNs},
                      {"ack_tx_packets", acks.txPackets},
                      {"ack_rx_packets", acks.rxPackets},
                      {"ack_delay_sum_ns", acks.delaySumNs},
                      {"packet_delay_ms_mean",
                       delay.packets == 0 ? Record(nullptr) : Record(meanNs / NS_PER_MS)}});
    }
}

void
RunReport::WritePorts(RecordStream& records) const
{
    for (const Port& port : m_run.tree.Ports())
    {
        const PortMeter::Counters counters = port.meter->Since();
        if (counters.offeredPackets == 0)
        {
            continue; // under single-path most of the tree is idle
        }
        const auto occupancy = port.meter->QueueOccupancy(m_run.spec.durationNs);
        records.Port({{"port", port.name},
                      {"tier", ToString(port.tier)},
                      {"packets", counters.sentPackets},
                      {"bytes", counters.sentBytes},
                      {"drops", counters.droppedPackets},
                      {"utilization_pct",
                       static_cast<double>(counters.busyNs) / 1e7 / MeasuredSeconds()},
                      {"queue_length_mean", occupancy.mean},
                      {"queue_length_max", occupancy.max}});
    }
}

void
RunReport::WriteChecks(RecordStream& records) const
{
    CheckPorts(records);
    CheckFlows(records);
}

void
RunReport::CheckPorts(RecordStream& records) const
{
    std::string lost;
    std::string tooFast;
    uint64_t drops = 0;
    for (const Port& port : m_run.tree.Ports())
    {
        const auto& total = port.meter->total;
        drops += total.droppedPackets;
        const uint64_t accounted = total.droppedPackets + total.sentPackets + port.meter->Length();
        if (total.offeredPackets != accounted || total.deliveredPackets > total.sentPackets)
        {
            lost += " " + port.name;
        }
        const double sentBits = static_cast<double>(port.meter->Since().sentBytes) * 8;
        const double packetBits = Link::MTU * 8; // one may have begun just before the warm-up's end
        if (sentBits > static_cast<double>(port.rateBps) * MeasuredSeconds() + packetBits)
        {
            tooFast += " " + port.name;
        }
    }
    records.Check("port_conservation",
                  lost.empty(),
                  lost.empty() ? "offered = sent + dropped + waiting at every port"
                               : "broken at" + lost);
    records.Check("link_rate",
                  tooFast.empty(),
                  tooFast.empty() ? "no port sends faster than its link" : "too fast at" + tooFast);
    // Counted independently of the ports, at the hosts' IP layers.
    const uint64_t sent = m_run.flows.AllSent();
    const uint64_t ended = m_run.flows.AllReceived() + drops + m_run.tree.PacketsInside();
    records.Check("network_conservation",
                  sent == ended,
                  "hosts sent " + std::to_string(sent) + ", received + dropped + in flight " +
                      std::to_string(ended));
}

void
RunReport::CheckFlows(RecordStream& records) const
{
    int64_t excess = std::numeric_limits<int64_t>::max();
    uint64_t bytes = 0;
    for (uint32_t flow = 0; flow < m_run.spec.workload.flows; ++flow)
    {
        excess = std::min(excess, m_run.flows.Delays()[flow].minExcessNs);
        bytes += m_run.workload.Deliveries()[flow].bytesMeasured;
    }
    records.Check("delay_floor",
                  excess >= 0,
                  "no data packet is faster than serialization and propagation allow");
    records.Check("flow_bytes",
                  bytes == m_run.seriesBytes,
                  "flows delivered " + std::to_string(bytes) + " bytes, the goodput series " +
                      std::to_string(m_run.seriesBytes));
}

} // namespace windtunnel
