// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workloads/connections.h"
#include "workloads/data_source.h"
#include "workloads/incast_rounds.h"
#include "workloads/on_off_source.h"

#include <memory>
#include <vector>

namespace windtunnel
{

/** Drives a schedule's flows over their connections, as the workload's kind says. */
class Traffic
{
  public:
    Traffic(const RunSpec& spec, Connections& connections);

    /** The rounds of an `incast`, or nothing. */
    const std::vector<Round>& Rounds() const;

  private:
    void Begin(uint32_t flow);

    const RunSpec& m_spec;
    Connections& m_connections;
    std::vector<std::unique_ptr<DataSource>> m_sources;
    std::vector<std::unique_ptr<OnOffSource>> m_onOffSources;
    std::unique_ptr<IncastRounds> m_incast;
};

} // namespace windtunnel
