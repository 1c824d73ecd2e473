// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "base/quantity.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace windtunnel
{

/** The one queue of an egress port. */
struct QueueConfig
{
    std::string kind{"drop-tail"}; ///< `drop-tail`, `threshold-ecn`, or a disc of queue_discs.h
    QueueLimit limit{};
    std::optional<QueueLimit> ecnThreshold{}; ///< `threshold-ecn`: K
    /** Packets that find this many waiting would have met ns-3.25's full device queue. */
    std::optional<uint32_t> deviceQueuePackets{};
    nlohmann::json attributes = nlohmann::json::object(); ///< of a disc, by ns-3's names

    /** Held as a ring of packets by the link itself rather than by an ns-3 queue disc. */
    bool IsRing() const
    {
        return kind == "drop-tail" || kind == "threshold-ecn";
    }
};

} // namespace windtunnel
