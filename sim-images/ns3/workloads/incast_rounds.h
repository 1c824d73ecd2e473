// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workloads/synchronized_reads.h"
#include "workloads/workload.h"

namespace windtunnel
{

/** The workload `incast`: servers answer one client in synchronized rounds. */
class IncastRounds final : public Workload
{
  public:
    /** @param startJitterNs each server of each round is late by a draw up to this */
    IncastRounds(ReadSpec spec, int64_t startJitterNs, std::vector<FlowGroup> groups);

    std::vector<PlannedFlow> DrawFlows(FlowDraws& draws) const override;
    std::unique_ptr<Traffic> Drive(const TrafficContext& context) const override;

  private:
    ReadSpec m_spec;
    int64_t m_startJitterNs;
};

} // namespace windtunnel
