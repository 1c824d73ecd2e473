// SPDX-License-Identifier: GPL-2.0-only
#include "workloads/workload.h"

#include "base/quantity.h"
#include "base/registry.h"
#include "base/spec_error.h"
#include "workloads/transfers.h"

namespace windtunnel
{
namespace
{

constexpr uint32_t FLOWS_A_SENDER = 16'000; ///< ns-3 has 16,384 ephemeral ports a host

} // namespace

AlgorithmSpec
WorkloadContext::Algorithm() const
{
    if (algorithm.is_null())
    {
        throw SpecError("scenario.algorithm: missing, and the workload's flows name none");
    }
    return ReadAlgorithm({algorithm, "scenario.algorithm"});
}

std::vector<FlowGroup>
WorkloadContext::OneGroup() const
{
    return {{"", Algorithm()}};
}

Workload::Workload(std::vector<FlowGroup> groups)
    : m_groups(std::move(groups))
{
}

Workload::~Workload() = default;

std::unique_ptr<Traffic>
Workload::Drive(const TrafficContext& context) const
{
    return std::make_unique<Transfers>(context);
}

WorkloadRegistration::WorkloadRegistration(WorkloadKind kind)
{
    Registry<WorkloadKind>::Add(std::move(kind));
}

const std::vector<WorkloadKind>&
WorkloadKinds()
{
    return Registry<WorkloadKind>::All();
}

std::unique_ptr<Workload>
ReadWorkload(Fields fields, const WorkloadContext& context)
{
    if (!context.algorithm.is_null())
    {
        context.Algorithm(); // even where every group has its own
    }
    auto workload = fields.KindOf(WorkloadKinds()).read(fields, context);
    fields.ExpectNoUnknownFields();
    return workload;
}

AlgorithmSpec
ReadAlgorithm(Fields fields)
{
    AlgorithmSpec algorithm;
    algorithm.kind = fields.Plain<std::string>("kind");
    algorithm.attributes = fields.TakeRemaining();
    return algorithm;
}

std::optional<HostPairs>
ReadPairs(Fields& fields, const TopologySpec& topology, uint32_t flows)
{
    if (fields.IsNull("pairs"))
    {
        return std::nullopt;
    }
    auto pairs = fields.Plain<HostPairs>("pairs");
    if (pairs.size() != flows)
    {
        fields.Fail("pairs", "as many pairs as flows are expected");
    }
    for (const auto& [sender, receiver] : pairs)
    {
        if (!topology.senders.Contains(sender) || !topology.receivers.Contains(receiver) ||
            sender == receiver)
        {
            fields.Fail("pairs",
                        "[" + std::to_string(sender) + ", " + std::to_string(receiver) +
                            "] is not a sender and another host that receives");
        }
    }
    return pairs;
}

int64_t
ReadJitter(Fields& fields, const WorkloadContext& context)
{
    return fields.IsNull("start_jitter") ? context.baseRttNs
                                         : fields.Read("start_jitter", ParseTime);
}

uint32_t
ReadSize(Fields& fields, const std::string& name)
{
    const uint32_t bytes = fields.Read(name, ParseBytes);
    if (bytes == 0)
    {
        fields.Fail(name, "must be above zero");
    }
    return bytes;
}

Schedule
DrawSchedule(const Workload& workload, const TopologySpec& topology, int64_t durationNs)
{
    FlowDraws draws(topology, durationNs);
    Schedule schedule{workload.DrawFlows(draws)};
    std::vector<uint32_t> flowsFrom(topology.hosts);
    for (const PlannedFlow& flow : schedule.flows)
    {
        if (++flowsFrom[flow.sender] > FLOWS_A_SENDER)
        {
            throw SpecError("scenario.workload: more than " + std::to_string(FLOWS_A_SENDER) +
                            " flows from one host, which has no more TCP ports; take more hosts or "
                            "fewer flows");
        }
    }
    return schedule;
}

} // namespace windtunnel
