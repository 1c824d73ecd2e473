// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workloads/size_distribution.h"
#include "workloads/workload.h"

namespace windtunnel
{

struct MixedSpec
{
    double load; ///< of TopologySpec::loadRateBps
    SizeDistribution sizes;
};

/** Transfers between random hosts that arrive as a Poisson process. */
class Mixed final : public Workload
{
  public:
    Mixed(MixedSpec spec, std::vector<FlowGroup> groups);

    std::vector<PlannedFlow> DrawFlows(FlowDraws& draws) const override;

    bool HasTransfers() const override
    {
        return true;
    }

    bool HasSizeClasses() const override
    {
        return true;
    }

    bool MayHaveNoFlow() const override
    {
        return true;
    }

  private:
    MixedSpec m_spec;
};

} // namespace windtunnel
