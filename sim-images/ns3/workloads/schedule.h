// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace windtunnel
{

/** When a flow is on: [beginNs, endNs) in simulated time. */
struct OnPeriod
{
    int64_t beginNs;
    int64_t endNs;
};

/** One flow of the schedule. What a workload has no use for is zero or empty. */
struct PlannedFlow
{
    uint32_t sender;
    uint32_t receiver;
    uint32_t group{0};
    int64_t startNs{0};
    uint64_t bytes{0};               ///< 0: without end
    std::vector<OnPeriod> periods{}; ///< `random-pairs`
    std::vector<int64_t> jitterNs{}; ///< `incast`: of round r, at r modulo their number
};

/** Who talks to whom and when: all of a run's random choices about traffic. */
struct Schedule
{
    std::vector<PlannedFlow> flows;

    /** SHA-256 over pairs, instants and sizes; equal for every algorithm at the same seed index. */
    std::string Digest() const;
};

} // namespace windtunnel
