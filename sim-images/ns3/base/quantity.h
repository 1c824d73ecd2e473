// SPDX-License-Identifier: GPL-2.0-only
#pragma once

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
uint64_t ParseRate(const std::string& text);  ///< bits per second
int64_t ParseTime(const std::string& text);   ///< nanoseconds
uint32_t ParseBytes(const std::string& text); ///< bytes

/** A queue's limit: in packets, or in bytes as ns-3's device queues count them. */
struct QueueLimit
{
    enum class Unit
    {
        Packets,
        Bytes
    };
    Unit unit{Unit::Packets};
    uint32_t value{100};
};

/** What a queue limit in BDPs is relative to. */
struct BandwidthDelayProduct
{
    uint64_t rateBps;
    int64_t rttNs;        ///< propagation only, there and back
    uint32_t packetBytes; ///< of a full packet

    /** @p thousandths of it in whole packets, rounded down, at least one. */
    uint32_t Packets(uint64_t thousandths) const;
};

/** Packets (`100p`), bytes (`3000B`) or thousandths of a bandwidth-delay product (`1500mbdp`). */
QueueLimit ParseQueueLimit(const std::string& text, const BandwidthDelayProduct& product);

} // namespace windtunnel
