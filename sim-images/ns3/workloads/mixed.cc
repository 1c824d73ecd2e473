// SPDX-License-Identifier: GPL-2.0-only
#include "workloads/mixed.h"

#include "base/random_streams.h"
#include "base/spec_error.h"
#include "workloads/mixed.json.h"

using namespace ns3;

namespace windtunnel
{
namespace
{

SizeDistribution
ReadSizes(Fields fields)
{
    using Reader = SizeDistribution (*)(Fields&);
    const auto read = fields.OneOf<Reader>(
        "kind",
        {{"web-search", [](Fields&) { return SizeDistribution::WebSearch(); }},
         {"data-mining", [](Fields&) { return SizeDistribution::DataMining(); }},
         {"classes",
          [](Fields& classes) {
              return SizeDistribution::OfClasses(classes.Number("mice", 0, 1),
                                                 classes.Number("cat", 0, 1),
                                                 classes.Number("elephant", 0, 1));
          }},
         {"empirical", [](Fields& empirical) {
              return SizeDistribution::Empirical(
                  empirical.Plain<std::vector<std::pair<double, double>>>("points"));
          }}});
    SizeDistribution sizes = read(fields);
    fields.ExpectNoUnknownFields();
    return sizes;
}

std::unique_ptr<Workload>
ReadMixed(Fields& fields, const WorkloadContext& context)
{
    MixedSpec spec{fields.Number("load", 0.001, 2), ReadSizes(fields.Object("sizes"))};
    return std::make_unique<Mixed>(std::move(spec), context.OneGroup());
}

const WorkloadRegistration REGISTRATION({.name = "mixed", .schema = MIXED_JSON, .read = ReadMixed});

} // namespace

Mixed::Mixed(MixedSpec spec, std::vector<FlowGroup> groups)
    : Workload(std::move(groups)),
      m_spec(std::move(spec))
{
}

std::vector<PlannedFlow>
Mixed::DrawFlows(FlowDraws& draws) const
{
    auto arrivals = WithStream<ExponentialRandomVariable>(streams::ARRIVALS);
    auto sizes = WithStream<UniformRandomVariable>(streams::SIZES);
    const double bytesPerSecond =
        m_spec.load * static_cast<double>(draws.Topology().loadRateBps) / 8;
    const double meanGapNs = 1e9 * m_spec.sizes.MeanBytes() / bytesPerSecond;
    std::vector<PlannedFlow> flows;
    for (int64_t at = DrawExponentialNs(arrivals, meanGapNs); at < draws.DurationNs();
         at += DrawExponentialNs(arrivals, meanGapNs))
    {
        if (flows.size() == MAX_FLOWS)
        {
            throw SpecError("scenario.workload.load: more than " + std::to_string(MAX_FLOWS) +
                            " flows arrive; take a lower load, larger sizes or a shorter run");
        }
        PlannedFlow flow = draws.DrawPair();
        flow.startNs = at;
        flow.bytes = m_spec.sizes.Quantile(sizes->GetValue(0, 1));
        flows.push_back(std::move(flow));
    }
    return flows;
}

} // namespace windtunnel
