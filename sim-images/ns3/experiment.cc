// SPDX-License-Identifier: GPL-2.0-only
#include "experiment.h"

#include "results/run_report.h"
#include "spec/spec_error.h"

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
    if (m_spec.warmupNs > 0) // counters start at zero; at time zero SYNs have been sent already
    {
        Simulator::Schedule(NanoSeconds(m_spec.warmupNs), &Experiment::BeginMeasurement, this);
    }
    ReportProgress(&records);
    Simulator::Stop(NanoSeconds(m_spec.durationNs));
    Simulator::Run();

    std::vector<SampledSeries> series{m_goodput.Take()};
    for (QueueLengthSampler& sampler : m_samplers)
    {
        std::ranges::move(sampler.Take(), std::back_inserter(series));
    }
    RunReport({m_spec, m_schedule, *m_tree, *m_flows, *m_workload, m_goodput.TotalBytes()})
        .Write(records, series);
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

} // namespace windtunnel
