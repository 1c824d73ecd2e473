// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workloads/workload.h"

#include <optional>

namespace windtunnel
{

struct RandomPairsSpec
{
    uint32_t flows;
    uint64_t rateBps; ///< while on: bits of application data per second
    int64_t onMeanNs;
    int64_t offMeanNs;
    std::optional<HostPairs> pairs;
};

/** Flows between random or given host pairs, each with exponential on and off times. */
class RandomPairs final : public Workload
{
  public:
    RandomPairs(RandomPairsSpec spec, std::vector<FlowGroup> groups);

    std::vector<PlannedFlow> DrawFlows(FlowDraws& draws) const override;
    std::unique_ptr<Traffic> Drive(const TrafficContext& context) const override;

  private:
    RandomPairsSpec m_spec;
};

} // namespace windtunnel
