// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>

namespace windtunnel
{

/**
 * ns-3 stream numbers of everything that a run draws. Ranges are indexed by flow, port or station
 * and never overlap, so that no draw depends on how many others there are.
 */
namespace streams
{

inline constexpr int64_t PAIRS = 1;                ///< which hosts talk to each other
inline constexpr int64_t ARRIVALS = 2;             ///< when transfers arrive
inline constexpr int64_t SIZES = 3;                ///< how large they are
inline constexpr int64_t FIRST_FLOW = 1000;        ///< by flow: on/off times, start jitter
inline constexpr int64_t RANDOM_LOSS = 500'000;    ///< of a link that loses packets
inline constexpr int64_t FIRST_BACKOFF = 1'000'000; ///< by CSMA station
inline constexpr int64_t FIRST_QUEUE = 2'000'000;   ///< by link: RED's and PIE's decisions
inline constexpr int64_t FIRST_RECEIVER = 3'000'000; ///< by flow: a receiver-driven algorithm
inline constexpr int64_t FIRST_CONTROL = 4'000'000;  ///< by flow: a congestion control's own

} // namespace streams
} // namespace windtunnel
