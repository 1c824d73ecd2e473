// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "spec/run_spec.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace windtunnel
{

/** When a flow is on: [beginNs, endNs) in simulated time. */
struct OnPeriod
{
    int64_t beginNs;
    int64_t endNs;
};

/** Who talks to whom and when: all of a run's random choices about traffic. */
struct Schedule
{
    struct Flow
    {
        uint32_t sender;
        uint32_t receiver;
        std::vector<OnPeriod> periods;
    };
    std::vector<Flow> flows;

    /** SHA-256 over pairs and instants; equal for every algorithm at the same seed index. */
    std::string Digest() const;
};

/**
 * Draw the whole schedule before the simulation starts, from fixed ns-3 streams and independently
 * of what connections later do: the same seed index gives every algorithm the same traffic
 * (common random numbers).
 *
 * Pairs: sender and receiver uniform over hosts, drawn again while equal; flows are drawn with
 * replacement. Each flow starts in an off time; on and off times are exponential.
 */
Schedule DrawSchedule(const RandomPairsSpec& spec, uint32_t hosts, int64_t durationNs);

} // namespace windtunnel
