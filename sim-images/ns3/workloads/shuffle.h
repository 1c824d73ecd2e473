// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workloads/workload.h"

namespace windtunnel
{

struct ShuffleSpec
{
    uint32_t hosts;
    uint32_t blockBytes;
    int64_t startJitterNs;
};

/** All to all: every host sends a block to every other. */
class Shuffle final : public Workload
{
  public:
    Shuffle(ShuffleSpec spec, std::vector<FlowGroup> groups);

    std::vector<PlannedFlow> DrawFlows(FlowDraws& draws) const override;

    bool HasTransfers() const override
    {
        return true;
    }

  private:
    ShuffleSpec m_spec;
};

} // namespace windtunnel
