// SPDX-License-Identifier: GPL-2.0-only
#include "experiment.h"

#include "results/metrics.h"
#include "spec/spec_error.h"

#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"

#include <sys/resource.h>
#include <sys/utsname.h>

#include <algorithm>
#include <chrono>
#include <map>

using namespace ns3;

namespace windtunnel
{
namespace
{

using Clock = std::chrono::steady_clock;

constexpr int64_t PROGRESS_CHECKS = 500; ///< how often a run looks at the wall clock
constexpr auto PROGRESS_INTERVAL = std::chrono::milliseconds(500);
constexpr double NS_PER_MS = 1e6;

/** Draws depend on ns-3's run number, so it is set before anything is drawn. */
Schedule
SeededSchedule(const RunSpec& spec)
{
    RngSeedManager::SetSeed(1);
    RngSeedManager::SetRun(spec.seedIndex);
    const uint32_t hosts = spec.topology.k * spec.topology.k * spec.topology.k / 4;
    return DrawSchedule(spec.workload, hosts, spec.durationNs);
}

/** The ports that a series' `at` names. */
std::vector<const Port*>
PortsAt(const FatTree& tree, const std::string& at)
{
    std::vector<const Port*> ports;
    for (const Port& port : tree.Ports())
    {
        if (port.name == at || (at == "core" && port.tier == Tier::Core))
        {
            ports.push_back(&port);
        }
    }
    if (ports.empty())
    {
        throw SpecError("scenario.series: this topology has no port named '" + at + "'");
    }
    return ports;
}

Record
HostFacts()
{
    utsname host{};
    uname(&host);
    return {{"kernel", std::string(host.sysname) + " " + host.release},
            {"machine", host.machine},
            {"compiler", "g++ " __VERSION__}};
}

/** Mean of a / b over indices where b is above zero; 0 if there is none. */
template <typename Numerator, typename Denominator>
double
SafeRatio(Numerator a, Denominator b)
{
    return b == 0 ? 0.0 : static_cast<double>(a) / static_cast<double>(b);
}

} // namespace

Experiment::Experiment(const RunSpec& spec)
    : m_spec(spec),
      m_schedule(SeededSchedule(spec)),
      m_transport(spec.transport, spec.algorithm),
      m_tree(std::make_unique<FatTree>(spec.topology, spec.seedIndex)),
      m_goodput(spec.warmupNs, spec.durationNs)
{
    m_flows = std::make_unique<FlowProbe>(
        spec.workload.flows,
        RandomPairs::FIRST_PORT,
        spec.warmupNs,
        [this](uint32_t flow, uint32_t ipBytes) {
            const auto& pair = m_schedule.flows[flow];
            return m_tree->DelayFloorNs(pair.sender, pair.receiver, ipBytes);
        });
    for (uint32_t host = 0; host < m_tree->HostCount(); ++host)
    {
        m_flows->Observe(m_tree->Host(host));
    }
    m_workload = std::make_unique<RandomPairs>(
        spec,
        m_schedule,
        m_transport,
        [this](uint32_t host) { return m_tree->Host(host); },
        [this](uint32_t host) { return m_tree->Address(host); });
    m_workload->SetOnDelivery([this](uint32_t, uint32_t bytes) {
        m_goodput.Delivered(Simulator::Now().GetNanoSeconds(), bytes);
    });
    for (const SeriesSpec& series : spec.series)
    {
        m_samplers.emplace_back(PortsAt(*m_tree, series.at), series.stepNs);
    }
}

Experiment::~Experiment()
{
    Simulator::Destroy();
}

Record
Experiment::Configuration() const
{
    return {{"transport", m_transport.Effective(m_tree->Host(0))},
            {"hosts", m_tree->HostCount()},
            {"switch_ports", m_tree->Ports().size()},
            {"checksums", false},
            {"mtu_bytes", Link::MTU},
            {"framing_bytes", PacketRing::FRAMING_BYTES}};
}

void
Experiment::Run(RecordStream& records)
{
    const auto begin = Clock::now();
    Record about = HostFacts();
    about["engine"] = "ns-3 " WINDTUNNEL_NS3_VERSION;
    about["seed_index"] = m_spec.seedIndex;
    records.Started(Configuration(), m_schedule.Digest(), about);

    for (QueueLengthSampler& sampler : m_samplers)
    {
        sampler.Start();
    }
    Simulator::Schedule(NanoSeconds(m_spec.warmupNs), &Experiment::BeginMeasurement, this);
    ReportProgress(&records);
    Simulator::Stop(NanoSeconds(m_spec.durationNs));
    Simulator::Run();

    WriteMetrics(records);
    WriteSeries(records);
    WriteFlows(records);
    WritePorts(records);
    WriteChecks(records);
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const std::chrono::duration<double> wall = Clock::now() - begin;
    records.Finished(Simulator::GetEventCount(),
                     {{"wall_seconds", wall.count()},
                      {"cpu_seconds",
                       static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                           static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6},
                      {"peak_memory_bytes", usage.ru_maxrss * 1024}});
}

void
Experiment::BeginMeasurement()
{
    for (const Port& port : m_tree->Ports())
    {
        port.meter->BeginMeasurement(Simulator::Now().GetNanoSeconds());
    }
}

void
Experiment::ReportProgress(RecordStream* records)
{
    static Clock::time_point last = Clock::now();
    if (Clock::now() - last >= PROGRESS_INTERVAL)
    {
        last = Clock::now();
        records->Progress(Simulator::Now().GetNanoSeconds(),
                          m_spec.durationNs,
                          Simulator::GetEventCount());
    }
    const int64_t step = std::max<int64_t>(1, m_spec.durationNs / PROGRESS_CHECKS);
    Simulator::Schedule(NanoSeconds(step), &Experiment::ReportProgress, this, records);
}

double
Experiment::MeasuredSeconds() const
{
    return static_cast<double>(m_spec.durationNs - m_spec.warmupNs) / 1e9;
}

double
Experiment::GoodputMbps(uint32_t flow) const
{
    const auto bytes = static_cast<double>(m_workload->Deliveries()[flow].bytesMeasured);
    return bytes * 8 / 1e6 / MeasuredSeconds();
}

uint64_t
Experiment::DropsAt(Tier tier) const
{
    uint64_t drops = 0;
    for (const Port& port : m_tree->Ports())
    {
        if (port.tier == tier)
        {
            drops += port.meter->Since().droppedPackets;
        }
    }
    return drops;
}

void
Experiment::WriteMetrics(RecordStream& records) const
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
Experiment::WriteGoodput(RecordStream& records) const
{
    const uint32_t flows = m_spec.workload.flows;
    double sum = 0;
    double sumOfSquares = 0;
    double flowmonitor = 0;
    for (uint32_t flow = 0; flow < flows; ++flow)
    {
        const double goodput = GoodputMbps(flow);
        sum += goodput;
        sumOfSquares += goodput * goodput;
        const FlowDirection& data = m_flows->Data()[flow];
        flowmonitor += SafeRatio(8e3 * static_cast<double>(data.rxBytes),
                                 std::max<int64_t>(0, data.lastRxNs - data.firstTxNs));
    }
    const double linkMbps = static_cast<double>(m_spec.topology.link.rate.GetBitRate()) / 1e6;
    records.Metric("goodput_mbps", sum / flows);
    records.Metric("goodput_total_mbps", sum);
    records.Metric("ideal_throughput_pct", 100 * sum / flows / linkMbps);
    records.Metric("flowmonitor_throughput_pct", 100 * flowmonitor / flows / linkMbps);
    records.Metric("jain_fairness", sumOfSquares == 0 ? 1 : sum * sum / (flows * sumOfSquares));
}

void
Experiment::WriteDelays(RecordStream& records) const
{
    uint64_t packets = 0;
    int64_t sumNs = 0;
    for (const DataDelay& delay : m_flows->Delays())
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
    const DelayHistogram& histogram = m_flows->Histogram();
    records.Metric("packet_delay_ms_p50", histogram.Quantile(50) / NS_PER_MS);
    records.Metric("packet_delay_ms_p95", histogram.Quantile(95) / NS_PER_MS);
    records.Metric("packet_delay_ms_p99", histogram.Quantile(99) / NS_PER_MS);
}

void
Experiment::WriteQueues(RecordStream& records) const
{
    PortMeter::Occupancy fullest;
    uint32_t max = 0;
    double busiest = 0;
    for (const Port& port : m_tree->Ports())
    {
        if (port.tier == Tier::Host)
        {
            continue;
        }
        const auto occupancy = port.meter->QueueOccupancy(m_spec.durationNs);
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
Experiment::WriteSeries(RecordStream& records)
{
    const SampledSeries goodput = m_goodput.Take();
    records.Series(goodput.name, goodput.unit, goodput.firstNs, goodput.stepNs, goodput.values);
    for (QueueLengthSampler& sampler : m_samplers)
    {
        for (const SampledSeries& series : sampler.Take())
        {
            records.Series(series.name, series.unit, series.firstNs, series.stepNs, series.values);
        }
    }
}

void
Experiment::WriteFlows(RecordStream& records) const
{
    for (uint32_t flow = 0; flow < m_spec.workload.flows; ++flow)
    {
        const Schedule::Flow& pair = m_schedule.flows[flow];
        const FlowDirection& data = m_flows->Data()[flow];
        const FlowDirection& acks = m_flows->Acks()[flow];
        const DataDelay& delay = m_flows->Delays()[flow];
        const double meanNs = SafeRatio(delay.sumNs, delay.packets);
        records.Flow({{"flow", flow},
                      {"source", pair.sender},
                      {"destination", pair.receiver},
                      {"hops", m_tree->Hops(pair.sender, pair.receiver)},
                      {"connected", m_workload->Deliveries()[flow].connected},
                      {"bytes", m_workload->Deliveries()[flow].bytesMeasured},
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
Experiment::WritePorts(RecordStream& records) const
{
    for (const Port& port : m_tree->Ports())
    {
        const PortMeter::Counters counters = port.meter->Since();
        if (counters.offeredPackets == 0)
        {
            continue; // under single-path most of the tree is idle
        }
        const auto occupancy = port.meter->QueueOccupancy(m_spec.durationNs);
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
Experiment::WriteChecks(RecordStream& records) const
{
    std::string lost;
    std::string tooFast;
    uint64_t drops = 0;
    for (const Port& port : m_tree->Ports())
    {
        const auto& total = port.meter->total;
        drops += total.droppedPackets;
        const uint64_t accounted =
            total.droppedPackets + total.sentPackets + port.meter->Length();
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
                  lost.empty() ? "offered = sent + dropped + waiting at every port" : "broken at" + lost);
    records.Check("link_rate",
                  tooFast.empty(),
                  tooFast.empty() ? "no port sends faster than its link" : "too fast at" + tooFast);

    const uint64_t ended = m_flows->AllReceived() + drops + m_tree->PacketsInside();
    records.Check("network_conservation",
                  m_flows->AllSent() == ended,
                  "hosts sent " + std::to_string(m_flows->AllSent()) + ", received + dropped + in flight " +
                      std::to_string(ended));

    int64_t excess = std::numeric_limits<int64_t>::max();
    uint64_t bytes = 0;
    for (uint32_t flow = 0; flow < m_spec.workload.flows; ++flow)
    {
        excess = std::min(excess, m_flows->Delays()[flow].minExcessNs);
        bytes += m_workload->Deliveries()[flow].bytesMeasured;
    }
    records.Check("delay_floor",
                  excess >= 0,
                  "no data packet is faster than serialization and propagation allow");
    records.Check("flow_bytes",
                  bytes == m_goodput.TotalBytes(),
                  "flows delivered " + std::to_string(bytes) + " bytes, the goodput series " +
                      std::to_string(m_goodput.TotalBytes()));
}

} // namespace windtunnel
