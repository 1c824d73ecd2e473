// SPDX-License-Identifier: GPL-2.0-only
#include "workloads/random_pairs.h"

#include "base/quantity.h"
#include "base/spec_error.h"
#include "workloads/on_off_source.h"
#include "workloads/random_pairs.json.h"

#include "ns3/simulator.h"

using namespace ns3;

namespace windtunnel
{
namespace
{

constexpr size_t MOST_PERIODS = 5'000'000;

std::unique_ptr<Workload>
ReadRandomPairs(Fields& fields, const WorkloadContext& context)
{
    RandomPairsSpec spec{};
    spec.flows = fields.Count("flows", 1, MAX_FLOWS);
    spec.rateBps = fields.Read("rate", ParseRate);
    spec.onMeanNs = fields.Read("on_mean", ParseTime);
    spec.offMeanNs = fields.Read("off_mean", ParseTime);
    spec.pairs = ReadPairs(fields, context.topology, spec.flows);
    return std::make_unique<RandomPairs>(spec, context.OneGroup());
}

const WorkloadRegistration REGISTRATION(
    {.name = "random-pairs", .schema = RANDOM_PAIRS_JSON, .read = ReadRandomPairs});

/** Each flow connects at the start and offers segments while it is on. */
class OnOffTraffic final : public Traffic
{
  public:
    OnOffTraffic(const TrafficContext& context, uint64_t rateBps)
        : m_connections(context.connections),
          m_segmentBytes(context.transport.segmentBytes),
          m_rateBps(rateBps)
    {
        const auto& flows = m_connections.Planned().flows;
        for (uint32_t flow = 0; flow < flows.size(); ++flow)
        {
            Simulator::ScheduleWithContext(m_connections.Sender(flow)->GetId(),
                                           NanoSeconds(flows[flow].startNs),
                                           [this, flow] { Begin(flow); });
        }
    }

  private:
    void Begin(uint32_t flow)
    {
        m_sources.push_back(
            std::make_unique<OnOffSource>(m_connections.Open(flow),
                                          m_segmentBytes,
                                          m_rateBps,
                                          m_connections.Planned().flows[flow].periods));
        m_sources.back()->Start();
    }

    Connections& m_connections;
    uint32_t m_segmentBytes;
    uint64_t m_rateBps;
    std::vector<std::unique_ptr<OnOffSource>> m_sources;
};

} // namespace

RandomPairs::RandomPairs(RandomPairsSpec spec, std::vector<FlowGroup> groups)
    : Workload(std::move(groups)),
      m_spec(std::move(spec))
{
}

std::vector<PlannedFlow>
RandomPairs::DrawFlows(FlowDraws& draws) const
{
    std::vector<PlannedFlow> flows;
    size_t periods = 0;
    for (uint32_t index = 0; index < m_spec.flows; ++index)
    {
        PlannedFlow flow =
            m_spec.pairs ? FlowBetween((*m_spec.pairs)[index]) : draws.DrawPair();
        flow.periods = draws.DrawPeriods(index, m_spec.onMeanNs, m_spec.offMeanNs);
        periods += flow.periods.size();
        if (periods > MOST_PERIODS)
        {
            throw SpecError("scenario.workload.on_mean: more than 5 million on times in all; take "
                            "longer ones");
        }
        flows.push_back(std::move(flow));
    }
    return flows;
}

std::unique_ptr<Traffic>
RandomPairs::Drive(const TrafficContext& context) const
{
    return std::make_unique<OnOffTraffic>(context, m_spec.rateBps);
}

} // namespace windtunnel
