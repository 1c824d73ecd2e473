// SPDX-License-Identifier: GPL-2.0-only
#include "results/run_metrics.h"

#include "workloads/size_distribution.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>

namespace windtunnel
{
namespace
{

constexpr double NS_PER_MS = 1e6;

double
Mean(const std::vector<double>& values)
{
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/** Nearest rank: the smallest value at or under which @p percent of all lie. */
double
Percentile(const std::vector<double>& sorted, uint32_t percent)
{
    const size_t rank = (sorted.size() * percent + 99) / 100;
    return sorted[std::max<size_t>(rank, 1) - 1];
}

/** Writes the metrics of one run. */
class MetricsWriter
{
  public:
    MetricsWriter(RecordStream& records,
                  const FinishedRun& run,
                  const std::vector<FairRate>& ceilings)
        : m_records(records),
          m_run(run),
          m_ceilings(ceilings)
    {
        for (uint32_t flow = 0; flow < run.FlowCount(); ++flow)
        {
            m_all.push_back(flow);
            m_tcp.push_back(run.tcp.Since(flow, run.spec.durationNs));
            m_deliveredBytes += run.connections.Deliveries()[flow].bytesMeasured;
        }
    }

    void Write()
    {
        WriteGoodput("", m_all);
        WriteThroughput();
        WriteDelays();
        WriteDrops();
        WriteQueues();
        WriteTcp("", m_all);
        WriteWindows();
        WriteTransfers();
        WriteRounds();
        WriteGroups();
    }

  private:
    using Flows = std::vector<uint32_t>;

    void Metric(const std::string& name, const std::string& label, double value)
    {
        m_records.Metric(label.empty() ? name : name + ":" + label, value);
    }

    /** Mean, median and 99th percentile, where there is anything. */
    void Distribution(const std::string& name, const std::string& label, std::vector<double> values)
    {
        if (values.empty())
        {
            return;
        }
        std::ranges::sort(values);
        Metric(name + "_mean", label, Mean(values));
        Metric(name + "_p50", label, Percentile(values, 50));
        Metric(name + "_p99", label, Percentile(values, 99));
    }

    void WriteGoodput(const std::string& label, const Flows& flows)
    {
        if (flows.empty())
        {
            return;
        }
        double sum = 0;
        double sumOfSquares = 0;
        std::vector<double> shares;
        for (const uint32_t flow : flows)
        {
            const double goodput = m_run.GoodputMbps(flow);
            sum += goodput;
            sumOfSquares += goodput * goodput;
            if (m_ceilings[flow].rate > 0)
            {
                shares.push_back(100 * goodput / m_ceilings[flow].rate);
            }
        }
        const auto count = static_cast<double>(flows.size());
        Metric("goodput_mbps", label, sum / count);
        Metric("goodput_total_mbps", label, m_run.TotalGoodputMbps(flows));
        Metric("jain_fairness", label, sumOfSquares == 0 ? 1 : sum * sum / (count * sumOfSquares));
        if (m_run.spec.workload->HasLongLivedFlows() && !shares.empty())
        {
            Metric("mmf_share_pct", label, Mean(shares));
        }
    }

    /** What FlowMonitor would have said of a flow, given the bytes that it counts; in Mb/s. */
    static double FlowMonitorMbps(const FlowDirection& data, uint64_t bytes)
    {
        const int64_t elapsed = data.lastRxNs - data.firstTxNs;
        return elapsed > 0 ? 8e3 * static_cast<double>(bytes) / static_cast<double>(elapsed) : 0;
    }

    void WriteThroughput()
    {
        if (m_all.empty())
        {
            return;
        }
        double goodput = 0;
        double flowmonitor = 0;
        double ns325 = 0;
        for (const uint32_t flow : m_all)
        {
            goodput += m_run.GoodputMbps(flow);
            const FlowDirection& data = m_run.flows.Data()[flow];
            flowmonitor += FlowMonitorMbps(data, data.rxBytes);
            ns325 += FlowMonitorMbps(data, data.ns325RxBytes);
        }
        const double ideal = static_cast<double>(m_all.size()) * m_run.LinkMbps() / 100;
        m_records.Metric("ideal_throughput_pct", goodput / ideal);
        m_records.Metric("capacity_share_pct",
                         m_run.TotalGoodputMbps(m_all) * 1e8 /
                             static_cast<double>(m_run.spec.topology.loadRateBps));
        m_records.Metric("flowmonitor_throughput_pct", flowmonitor / ideal);
        if (m_run.spec.topology.watchesDeviceQueues)
        {
            m_records.Metric("ns325_throughput_pct", ns325 / ideal);
        }
    }

    void WriteMeanDelay(const std::string& label, const Flows& flows)
    {
        uint64_t packets = 0;
        int64_t sumNs = 0;
        for (const uint32_t flow : flows)
        {
            packets += m_run.flows.Delays()[flow].packets;
            sumNs += m_run.flows.Delays()[flow].sumNs;
        }
        if (packets > 0) // a delay that nobody had is no metric, not a zero
        {
            const double meanNs = static_cast<double>(sumNs) / static_cast<double>(packets);
            Metric("packet_delay_ms_mean", label, meanNs / NS_PER_MS);
        }
    }

    void WriteDelays()
    {
        WriteMeanDelay("", m_all);
        const DelayHistogram& histogram = m_run.flows.Histogram();
        if (histogram.Count() > 0)
        {
            m_records.Metric("packet_delay_ms_p50", histogram.Quantile(50) / NS_PER_MS);
            m_records.Metric("packet_delay_ms_p95", histogram.Quantile(95) / NS_PER_MS);
            m_records.Metric("packet_delay_ms_p99", histogram.Quantile(99) / NS_PER_MS);
        }
    }

    void WriteDrops()
    {
        std::map<Tier, uint64_t> drops;
        uint64_t total = 0;
        uint64_t lost = 0;
        uint64_t marked = 0;
        for (const Port& port : m_run.network.Ports())
        {
            const auto counters = port.meter->Since(m_run.spec.durationNs);
            drops[port.tier] += counters.droppedPackets;
            total += port.tier == Tier::Host ? 0 : counters.droppedPackets;
            lost += counters.lostPackets;
            marked += counters.markedPackets;
        }
        m_records.Metric("drops_total", static_cast<double>(total));
        for (const auto& [tier, count] : drops)
        {
            m_records.Metric("drops_" + ToString(tier), static_cast<double>(count));
        }
        m_records.Metric("ecn_marks", static_cast<double>(marked));
        if (m_run.spec.topology.hasRandomLoss)
        {
            m_records.Metric("random_losses", static_cast<double>(lost));
        }
    }

    void WriteQueues()
    {
        PortMeter::Occupancy fullest;
        uint32_t max = 0;
        double busiest = 0;
        for (const Port& port : m_run.network.Ports())
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
            busiest = std::max(busiest, static_cast<double>(port.meter->Since(m_run.spec.durationNs).busyNs) / 1e9);
        }
        m_records.Metric("queue_length_mean", fullest.mean);
        m_records.Metric("queue_length_p95", fullest.p95);
        m_records.Metric("queue_length_max", max);
        m_records.Metric("link_utilization_max", 100 * busiest / m_run.MeasuredSeconds());
    }

    void WriteTcp(const std::string& label, const Flows& flows)
    {
        uint64_t retransmissions = 0;
        uint64_t timeouts = 0;
        uint64_t fastRecoveries = 0;
        std::vector<double> windows;
        for (const uint32_t flow : flows)
        {
            retransmissions += m_tcp[flow].retransmissions;
            timeouts += m_tcp[flow].timeouts;
            fastRecoveries += m_tcp[flow].fastRecoveries;
            if (m_tcp[flow].meanCwndBytes)
            {
                windows.push_back(*m_tcp[flow].meanCwndBytes / m_run.spec.transport.segmentBytes);
            }
        }
        Metric("retransmissions", label, static_cast<double>(retransmissions));
        Metric("timeouts", label, static_cast<double>(timeouts));
        Metric("fast_recoveries", label, static_cast<double>(fastRecoveries));
        if (!windows.empty())
        {
            Metric("cwnd_segments_mean", label, Mean(windows));
        }
    }

    void WriteWindows()
    {
        if (!m_run.windowVariation.empty())
        {
            m_records.Metric("cwnd_cov", Mean(m_run.windowVariation));
        }
    }

    /** Least possible completion time: SYN and its answer, then data at the slowest link's rate. */
    double IdealMs(uint32_t flow) const
    {
        const Path& path = *m_run.paths[flow];
        const TransportSpec& transport = m_run.spec.transport;
        const uint64_t bytes = m_run.schedule.flows[flow].bytes;
        const uint64_t packets = (bytes + transport.segmentBytes - 1) / transport.segmentBytes;
        const uint64_t onWire =
            bytes + packets * (transport.HeaderBytes() + LinkRate::FRAMING_BYTES);
        const auto first = static_cast<uint32_t>(
            std::min<uint64_t>(bytes, transport.segmentBytes) + transport.HeaderBytes());
        const double restNs = static_cast<double>(onWire - first - LinkRate::FRAMING_BYTES) * 8e9 /
                              static_cast<double>(path.SlowestBps());
        const int64_t handshakeNs = 2 * path.PropagationNs();
        return (static_cast<double>(handshakeNs + path.DelayFloorNs(first)) + restNs) / NS_PER_MS;
    }

    void WriteTransfers()
    {
        if (!m_run.spec.workload->HasTransfers())
        {
            return;
        }
        std::vector<double> times;
        std::map<SizeClass, std::pair<std::vector<double>, std::vector<double>>> ofClass;
        std::vector<double> slowdowns;
        uint64_t unfinished = 0;
        for (const uint32_t flow : m_all)
        {
            const PlannedFlow& planned = m_run.schedule.flows[flow];
            const int64_t completedNs = m_run.connections.Deliveries()[flow].completedNs;
            if (planned.startNs < m_run.spec.warmupNs)
            {
                continue;
            }
            if (completedNs < 0)
            {
                ++unfinished;
                continue;
            }
            times.push_back(static_cast<double>(completedNs - planned.startNs) / NS_PER_MS);
            slowdowns.push_back(times.back() / IdealMs(flow));
            auto& [classTimes, classSlowdowns] = ofClass[ClassOf(planned.bytes)];
            classTimes.push_back(times.back());
            classSlowdowns.push_back(slowdowns.back());
        }
        m_records.Metric("transfers_completed", static_cast<double>(times.size()));
        m_records.Metric("transfers_unfinished", static_cast<double>(unfinished));
        Distribution("fct_ms", "", times);
        Distribution("slowdown", "", slowdowns);
        if (m_run.spec.workload->HasSizeClasses())
        {
            for (const auto& [sizeClass, both] : ofClass)
            {
                Distribution("fct_ms", ToString(sizeClass), both.first);
                Distribution("slowdown", ToString(sizeClass), both.second);
            }
        }
    }

    void WriteRoundGoodput(const RoundLog& log, double completed)
    {
        int64_t beginNs = -1;
        int64_t endNs = -1;
        for (const Round& round : log.rounds)
        {
            if (round.beginNs >= m_run.spec.warmupNs && round.endNs >= 0)
            {
                beginNs = beginNs < 0 ? round.beginNs : beginNs;
                endNs = round.endNs;
            }
        }
        if (endNs > beginNs)
        {
            const double bits = completed * static_cast<double>(log.bytesARound) * 8;
            m_records.Metric("round_goodput_mbps",
                             bits * 1e3 / static_cast<double>(endNs - beginNs));
        }
    }

    void WriteRounds()
    {
        const RoundLog* log = m_run.traffic.Rounds();
        if (log == nullptr)
        {
            return;
        }
        std::vector<double> durations;
        double unfinished = 0;
        for (const Round& round : log->rounds)
        {
            if (round.endNs < 0)
            {
                ++unfinished;
            }
            else if (round.beginNs >= m_run.spec.warmupNs)
            {
                durations.push_back(static_cast<double>(round.endNs - round.beginNs) / NS_PER_MS);
            }
        }
        m_records.Metric("round_unfinished", unfinished);
        m_records.Metric("round_completed", static_cast<double>(durations.size()));
        WriteRoundGoodput(*log, static_cast<double>(durations.size()));
        Distribution("round_ms", "", durations);
    }

    void WriteGroups()
    {
        for (uint32_t group = 0; group < m_run.spec.workload->Groups().size(); ++group)
        {
            const std::string& name = m_run.spec.workload->Groups()[group].name;
            if (name.empty())
            {
                continue;
            }
            Flows flows;
            uint64_t bytes = 0;
            for (const uint32_t flow : m_all)
            {
                if (m_run.schedule.flows[flow].group == group)
                {
                    flows.push_back(flow);
                    bytes += m_run.connections.Deliveries()[flow].bytesMeasured;
                }
            }
            WriteGoodput(name, flows);
            WriteMeanDelay(name, flows);
            WriteTcp(name, flows);
            if (m_deliveredBytes > 0)
            {
                Metric("throughput_share",
                       name,
                       static_cast<double>(bytes) / static_cast<double>(m_deliveredBytes));
            }
        }
    }

    RecordStream& m_records;
    const FinishedRun& m_run;
    const std::vector<FairRate>& m_ceilings;
    Flows m_all;
    std::vector<TcpCounters> m_tcp;
    uint64_t m_deliveredBytes{0};
};

} // namespace

void
WriteMetrics(RecordStream& records, const FinishedRun& run, const std::vector<FairRate>& ceilings)
{
    MetricsWriter(records, run, ceilings).Write();
}

} // namespace windtunnel
