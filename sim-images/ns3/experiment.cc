// SPDX-License-Identifier: GPL-2.0-only
#include "experiment.h"

#include "probes/series_probes.h"
#include "results/run_report.h"
#include "base/spec_error.h"

#include "ns3/inet-socket-address.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"

#include <sys/resource.h>
#include <sys/utsname.h>

#include <algorithm>
#include <chrono>
#include <iterator>

using namespace ns3;

namespace windtunnel
{
namespace
{

using Clock = std::chrono::steady_clock;

constexpr int64_t PROGRESS_CHECKS = 500; ///< how often a run looks at the wall clock
constexpr auto PROGRESS_INTERVAL = std::chrono::milliseconds(500);
constexpr int64_t WINDOW_SAMPLES = 1000; ///< of `cwnd_cov`, over the measured time

/** Draws depend on ns-3's run number, so it is set before anything is drawn. */
Schedule
SeededSchedule(const RunSpec& spec)
{
    RngSeedManager::SetSeed(1);
    RngSeedManager::SetRun(spec.seedIndex);
    return DrawSchedule(*spec.workload, spec.topology, spec.durationNs);
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

} // namespace

Experiment::Experiment(const RunSpec& spec)
    : m_spec(spec),
      m_schedule(SeededSchedule(spec)),
      m_transport(spec.transport, spec.workload->Groups(), spec.topology, m_schedule),
      m_network(spec.topology.build(spec.seedIndex)),
      m_paths(m_schedule.flows.size()),
      m_floors(m_schedule.flows.size()),
      m_tcp(m_schedule.flows.size()),
      m_goodput(spec.warmupNs, spec.durationNs)
{
    const FlowProbe::Setting setting{.flows = static_cast<uint32_t>(m_schedule.flows.size()),
                                     .firstPort = Connections::FIRST_PORT,
                                     .warmupNs = spec.warmupNs,
                                     .watchesDeviceQueues = spec.topology.watchesDeviceQueues};
    m_flows = std::make_unique<FlowProbe>(setting, [this](uint32_t flow, uint32_t ipBytes) {
        return DelayFloorNs(flow, ipBytes);
    });
    for (uint32_t host = 0; host < m_network->HostCount(); ++host)
    {
        m_flows->Observe(m_network->Host(host));
    }
    m_connections = std::make_unique<Connections>(
        spec.warmupNs,
        m_schedule,
        m_transport,
        Hosts{[this](uint32_t host) { return m_network->Host(host); },
              [this](uint32_t host) { return m_network->Address(host); }});
    m_connections->AddOnOpen(
        [this](uint32_t flow, const Ptr<TcpSender>& socket) { Opened(flow, socket); });
    m_connections->AddOnDelivery([this](uint32_t, uint32_t bytes) {
        m_goodput.Delivered(Simulator::Now().GetNanoSeconds(), bytes);
    });
    m_traffic = m_spec.workload->Drive({*m_connections, m_spec.transport, m_spec.topology});
    std::set<std::string> taken;
    for (const SeriesSpec& series : spec.series)
    {
        m_samplers.push_back(
            MakeSampler(series,
                        {*m_network,
                         *m_connections,
                         m_tcp,
                         *m_spec.workload,
                         m_spec.transport.segmentBytes},
                        taken));
    }
}

Experiment::~Experiment()
{
    Simulator::Destroy();
}

void
Experiment::Capture(const std::string& port, const std::string& file)
{
    const auto& ports = m_network->Ports();
    const auto found =
        std::find_if(ports.begin(), ports.end(), [&port](const Port& p) { return p.name == port; });
    if (found == ports.end())
    {
        throw SpecError("--pcap: this topology has no port named '" + port + "'; it has " +
                        ports.front().name + ", " + ports.back().name + " and others");
    }
    m_capture = std::make_unique<PortCapture>(*found->egress, file);
}

void
Experiment::Opened(uint32_t flow, const Ptr<TcpSender>& socket)
{
    const PlannedFlow& planned = m_schedule.flows[flow];
    Address name;
    socket->GetSockName(name);
    const FlowKey key(m_network->Address(planned.sender),
                      InetSocketAddress::ConvertFrom(name).GetPort(),
                      m_network->Address(planned.receiver),
                      Connections::FIRST_PORT + flow);
    m_paths[flow] = m_network->PathOf(planned.sender, key);
    m_tcp.Observe(flow, socket);
}

int64_t
Experiment::DelayFloorNs(uint32_t flow, uint32_t ipBytes)
{
    Floor& floor = m_floors[flow];
    if (floor.ipBytes != ipBytes)
    {
        floor = {ipBytes, m_paths[flow]->DelayFloorNs(ipBytes)};
    }
    return floor.ns;
}

Record
Experiment::Configuration() const
{
    Record groups = Record::array();
    for (uint32_t group = 0; group < m_spec.workload->Groups().size(); ++group)
    {
        groups.push_back(Record(m_transport.Effective(m_network->Host(0), group)));
    }
    return {{"transport", groups},
            {"hosts", m_network->HostCount()},
            {"switch_ports", m_network->Ports().size()},
            {"flows", m_schedule.flows.size()},
            {"propagation_rtt_ns", m_spec.topology.PropagationRttNs()},
            {"checksums", false},
            {"mtu_bytes", Link::MTU},
            {"framing_bytes", LinkRate::FRAMING_BYTES}};
}

void
Experiment::Run(RecordStream& records)
{
    const auto begin = Clock::now();
    Record metadata = HostFacts();
    metadata["engine"] = "ns-3 " WINDTUNNEL_NS3_VERSION;
    metadata["seed_index"] = m_spec.seedIndex;
    records.Started(Configuration(), m_schedule.Digest(), metadata);

    for (SeriesSampler& sampler : m_samplers)
    {
        sampler.Start();
    }
    if (m_spec.warmupNs > 0) // counters start at zero; at time zero SYNs have been sent already
    {
        Simulator::Schedule(NanoSeconds(m_spec.warmupNs), &Experiment::BeginMeasurement, this);
    }
    Simulator::Schedule(NanoSeconds(m_spec.warmupNs), &Experiment::SampleWindows, this);
    ReportProgress(&records);
    Simulator::Stop(NanoSeconds(m_spec.durationNs));
    Simulator::Run();

    std::vector<SampledSeries> series{m_goodput.Take()};
    for (SeriesSampler& sampler : m_samplers)
    {
        std::ranges::move(sampler.Take(), std::back_inserter(series));
    }
    WriteReport(records,
                {m_spec,
                 m_schedule,
                 *m_network,
                 *m_flows,
                 m_tcp,
                 *m_connections,
                 *m_traffic,
                 m_paths,
                 m_windowVariation,
                 m_goodput.TotalBytes()},
                series);
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
    const int64_t nowNs = Simulator::Now().GetNanoSeconds();
    for (const Port& port : m_network->Ports())
    {
        port.meter->BeginMeasurement(nowNs);
    }
    m_tcp.BeginMeasurement(nowNs);
}

void
Experiment::SampleWindows()
{
    const double variation = m_tcp.WindowVariation();
    if (variation >= 0)
    {
        m_windowVariation.push_back(variation);
    }
    const int64_t step =
        std::max<int64_t>(1, (m_spec.durationNs - m_spec.warmupNs) / WINDOW_SAMPLES);
    Simulator::Schedule(NanoSeconds(step), &Experiment::SampleWindows, this);
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

} // namespace windtunnel
