// SPDX-License-Identifier: GPL-2.0-only
#include "workloads/bulk.h"

#include "base/quantity.h"
#include "workloads/bulk.json.h"

#include <numeric>
#include <set>

namespace windtunnel
{
namespace
{

uint32_t
CountFlows(const BulkSpec& spec)
{
    return std::accumulate(
        spec.groups.begin(),
        spec.groups.end(),
        uint32_t{0},
        [](uint32_t sum, const BulkSpec::Group& group) { return sum + group.flows; });
}

std::unique_ptr<Workload>
ReadBulk(Fields& fields, const WorkloadContext& context)
{
    BulkSpec spec{};
    std::vector<FlowGroup> groups;
    std::set<std::string> names;
    for (Fields& member : fields.Objects("groups"))
    {
        FlowGroup group;
        group.name = member.Plain<std::string>("name");
        if (group.name.empty() || !names.insert(group.name).second)
        {
            member.Fail("name", "groups need different names");
        }
        group.algorithm = member.IsNull("algorithm") ? context.Algorithm()
                                                     : ReadAlgorithm(member.Object("algorithm"));
        spec.groups.push_back(
            {member.Count("flows", 1, MAX_FLOWS), member.Read("start", ParseTime)});
        if (spec.groups.back().startNs >= context.durationNs)
        {
            member.Fail("start", "must be before the run's end (duration)");
        }
        member.ExpectNoUnknownFields();
        groups.push_back(std::move(group));
    }
    if (groups.empty())
    {
        const uint32_t flows = fields.IsNull("flows") ? 1 : fields.Count("flows", 1, MAX_FLOWS);
        spec.groups.push_back({flows, 0});
        groups = context.OneGroup();
    }
    else if (!fields.IsNull("flows"))
    {
        fields.Fail("flows", "groups have their own numbers of flows");
    }
    if (CountFlows(spec) > MAX_FLOWS)
    {
        fields.Fail("groups", "at most " + std::to_string(MAX_FLOWS) + " flows are possible");
    }
    spec.startJitterNs = ReadJitter(fields, context);
    spec.pairs = ReadPairs(fields, context.topology, CountFlows(spec));
    return std::make_unique<Bulk>(spec, groups);
}

const WorkloadRegistration REGISTRATION({.name = "bulk", .schema = BULK_JSON, .read = ReadBulk});

} // namespace

Bulk::Bulk(BulkSpec spec, std::vector<FlowGroup> groups)
    : Workload(std::move(groups)),
      m_spec(std::move(spec))
{
}

std::vector<PlannedFlow>
Bulk::DrawFlows(FlowDraws& draws) const
{
    std::vector<PlannedFlow> flows;
    for (uint32_t group = 0; group < m_spec.groups.size(); ++group)
    {
        for (uint32_t i = 0; i < m_spec.groups[group].flows; ++i)
        {
            const uint32_t index = flows.size();
            PlannedFlow flow =
                m_spec.pairs ? FlowBetween((*m_spec.pairs)[index]) : draws.PairOf(index);
            flow.group = group;
            flow.startNs =
                m_spec.groups[group].startNs + draws.DrawJitter(index, m_spec.startJitterNs);
            flows.push_back(std::move(flow));
        }
    }
    return flows;
}

} // namespace windtunnel
