// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "base/fields.h"
#include "topologies/topology.h"
#include "workloads/flow_draws.h"
#include "workloads/flow_group.h"
#include "workloads/schedule.h"
#include "workloads/traffic.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace windtunnel
{

constexpr uint32_t MAX_FLOWS = 40'000; ///< a flow has a TCP port of its own

/** What a workload's reader needs besides its own fields. */
struct WorkloadContext
{
    const TopologySpec& topology;
    const nlohmann::json& algorithm; ///< the scenario's, of groups that name none; or null
    int64_t baseRttNs;
    int64_t durationNs;

    /** The scenario's algorithm. @throws SpecError if it has none */
    AlgorithmSpec Algorithm() const;

    /** All flows in one group without a name, which runs the scenario's algorithm. */
    std::vector<FlowGroup> OneGroup() const;
};

/** Who sends what to whom, and when: a workload with its parameters. */
class Workload
{
  public:
    explicit Workload(std::vector<FlowGroup> groups);
    virtual ~Workload();

    /** At least one; flows refer to them by index. */
    const std::vector<FlowGroup>& Groups() const
    {
        return m_groups;
    }

    /** All random choices about traffic. @throws SpecError if there are too many flows */
    virtual std::vector<PlannedFlow> DrawFlows(FlowDraws& draws) const = 0;

    /** Drives the flows; unless overridden, each connects at its start and sends its bytes. */
    virtual std::unique_ptr<Traffic> Drive(const TrafficContext& context) const;

    /** Whether flows last from their start to the run's end: goodput is divided by that time, and
     *  `mmf_share_pct` is reported. */
    virtual bool HasLongLivedFlows() const
    {
        return false;
    }

    /** Whether flows are transfers of a size: completion times and slowdowns are reported. */
    virtual bool HasTransfers() const
    {
        return false;
    }

    /** Whether transfers are reported by size class too. */
    virtual bool HasSizeClasses() const
    {
        return false;
    }

    /** Whether how many flows there are is drawn: a series may find none. */
    virtual bool MayHaveNoFlow() const
    {
        return false;
    }

  private:
    std::vector<FlowGroup> m_groups;
};

/** A kind of workload that a spec can name. */
struct WorkloadKind
{
    /** Reads the parameters. @throws SpecError */
    using Reader = std::unique_ptr<Workload> (*)(Fields& fields, const WorkloadContext& context);

    std::string name;
    /** JSON Schema of the parameters, with what follows from them as expressions
     *  (docs/sim-image-contract.md). */
    std::string schema;
    Reader read;
};

/**
 * Adds a kind of workload before main() begins. One of these in the .cc of a pair in this folder is
 * all that a workload needs.
 */
class WorkloadRegistration
{
  public:
    explicit WorkloadRegistration(WorkloadKind kind);
};

/** Every kind, by name. */
const std::vector<WorkloadKind>& WorkloadKinds();

/** @throws SpecError */
std::unique_ptr<Workload> ReadWorkload(Fields fields, const WorkloadContext& context);

/** An algorithm's `kind` and its attributes. */
AlgorithmSpec ReadAlgorithm(Fields fields);

/** The field `pairs`: a [sender, receiver] for each of @p flows, or nothing. @throws SpecError */
std::optional<HostPairs> ReadPairs(Fields& fields, const TopologySpec& topology, uint32_t flows);

/** The field `start_jitter`, in ns; one base round trip where it is null. */
int64_t ReadJitter(Fields& fields, const WorkloadContext& context);

/** The field @p name in bytes, above zero. @throws SpecError */
uint32_t ReadSize(Fields& fields, const std::string& name);

/**
 * Draw the whole schedule before the simulation starts, from fixed ns-3 streams and independently
 * of what connections later do: the same seed index gives every algorithm the same traffic
 * (common random numbers). @throws SpecError if a host would send more flows than it has ports
 */
Schedule DrawSchedule(const Workload& workload, const TopologySpec& topology, int64_t durationNs);

} // namespace windtunnel
