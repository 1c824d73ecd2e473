// SPDX-License-Identifier: GPL-2.0-only
#include "probes/series_probes.h"

#include "base/spec_error.h"

#include "ns3/simulator.h"

using namespace ns3;

namespace windtunnel
{
namespace
{

/** A counter's growth since it was last asked. */
class Growth
{
  public:
    explicit Growth(std::function<double()> counter)
        : m_counter(std::move(counter))
    {
    }

    double operator()()
    {
        const double before = m_last;
        m_last = m_counter();
        return m_last - before;
    }

  private:
    std::function<double()> m_counter;
    double m_last{0};
};

Reading
PortReading(const std::string& probe, const Port& port, int64_t stepNs)
{
    const PortMeter* meter = port.meter;
    const std::string name = probe + " " + port.name;
    if (probe == "queue_length")
    {
        return {name, "packets", [meter] { return static_cast<double>(meter->Length()); }};
    }
    if (probe == "link_drops")
    {
        return {name, "packets", Growth([meter] {
                    return static_cast<double>(meter->total.droppedPackets);
                })};
    }
    if (probe == "ecn_marks")
    {
        return {name, "packets", Growth([meter] {
                    return static_cast<double>(meter->total.markedPackets);
                })};
    }
    return {name,
            "%",
            [growth = Growth([meter] {
                 return static_cast<double>(meter->BusyNs(Simulator::Now().GetNanoSeconds()));
             }),
             stepNs]() mutable { return 100 * growth() / static_cast<double>(stepNs); }};
}

Reading
FlowReading(const SeriesSpec& spec, const SeriesSources& sources, uint32_t flow)
{
    const std::string name = spec.probe + " flow" + std::to_string(flow);
    const TcpProbe* tcp = &sources.tcp;
    if (spec.probe == "cwnd")
    {
        const double segment = sources.segmentBytes;
        return {name, "segments", [tcp, flow, segment] { return tcp->CwndBytes(flow) / segment; }};
    }
    if (spec.probe == "rtt")
    {
        return {name, "ms", [tcp, flow] {
                    return static_cast<double>(tcp->LastRtt(flow).GetNanoSeconds()) / 1e6;
                }};
    }
    const Connections* connections = &sources.connections;
    const double scale = 8e3 / static_cast<double>(spec.stepNs);
    return {name, "Mb/s", [growth = Growth([connections, flow] {
                               return static_cast<double>(
                                   connections->Deliveries()[flow].bytesTotal);
                           }),
                           scale]() mutable { return growth() * scale; }};
}

bool
IsAt(const std::string& at, const Port& port)
{
    return at == port.name || at == "links" || (at == "core" && port.tier == Tier::Core) ||
           (at == "ports" && port.tier != Tier::Host);
}

bool
IsAt(const std::string& at, uint32_t flow, const std::string& group)
{
    return at == "flows" || at == "flow" + std::to_string(flow) ||
           (!group.empty() && at == group);
}

bool
IsOfPorts(const std::string& probe)
{
    return probe == "queue_length" || probe == "ecn_marks" || probe.starts_with("link_");
}

std::vector<Reading>
Readings(const SeriesSpec& spec, const SeriesSources& sources)
{
    std::vector<Reading> readings;
    if (IsOfPorts(spec.probe))
    {
        for (const Port& port : sources.network.Ports())
        {
            if (IsAt(spec.at, port))
            {
                readings.push_back(PortReading(spec.probe, port, spec.stepNs));
            }
        }
        return readings;
    }
    const auto& flows = sources.connections.Planned().flows;
    for (uint32_t flow = 0; flow < flows.size(); ++flow)
    {
        if (IsAt(spec.at, flow, sources.workload.Groups()[flows[flow].group].name))
        {
            readings.push_back(FlowReading(spec, sources, flow));
        }
    }
    return readings;
}

} // namespace

SeriesSampler
MakeSampler(const SeriesSpec& spec, const SeriesSources& sources, std::set<std::string>& taken)
{
    std::vector<Reading> readings = Readings(spec, sources);
    if (readings.empty() && !sources.workload.MayHaveNoFlow())
    {
        throw SpecError("scenario.series: '" + spec.at + "' is no " +
                        (IsOfPorts(spec.probe) ? "port" : "flow or group") + " of this run");
    }
    const bool isInstant =
        spec.probe == "queue_length" || spec.probe == "cwnd" || spec.probe == "rtt";
    std::erase_if(readings, [&taken](const Reading& one) { return !taken.insert(one.name).second; });
    return {std::move(readings), isInstant ? SampledAt::Begin : SampledAt::End, spec.stepNs};
}

} // namespace windtunnel
