// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workloads/workload.h"

#include <optional>

namespace windtunnel
{

struct BulkSpec
{
    struct Group
    {
        uint32_t flows;
        int64_t startNs;
    };
    std::vector<Group> groups; ///< parallel to Workload::Groups
    int64_t startJitterNs;
    std::optional<HostPairs> pairs;
};

/** Long-lived flows that always have something to send, in groups with an algorithm each. */
class Bulk final : public Workload
{
  public:
    Bulk(BulkSpec spec, std::vector<FlowGroup> groups);

    std::vector<PlannedFlow> DrawFlows(FlowDraws& draws) const override;

    bool HasLongLivedFlows() const override
    {
        return true;
    }

  private:
    BulkSpec m_spec;
};

} // namespace windtunnel
