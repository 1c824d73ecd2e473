// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "fabric/packet_ring.h"

#include <cstdint>
#include <string>

namespace windtunnel
{

/**
 * Canonical quantities: an unsigned integer and the base unit of its dimension, nothing else.
 *
 * `100000000bps`, `1000ns`, `1448B`, `100p`. What people write (`100Mbps`, `1us`) is resolved to
 * these before a simulator sees it. Each function throws SpecError when @p text is anything else.
 */
uint64_t ParseRate(const std::string& text);        ///< bits per second
int64_t ParseTime(const std::string& text);         ///< nanoseconds
uint32_t ParseBytes(const std::string& text);       ///< bytes
QueueLimit ParseQueueLimit(const std::string& text); ///< packets or bytes

} // namespace windtunnel
