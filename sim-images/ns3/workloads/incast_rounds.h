// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workloads/connections.h"
#include "workloads/data_source.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace windtunnel
{

/** One synchronized round of an incast. */
struct Round
{
    int64_t beginNs;
    int64_t endNs{-1}; ///< when the last byte of the last server arrived
};

/**
 * Synchronized reads of a striped block (Phanishayee et al., FAST 2008): in every round each server
 * sends one unit; `gap` after the last byte of all has arrived the next round begins.
 *
 * Connections are opened one after the other at the start, and the first round begins a gap after
 * the last has been accepted; or each round opens its own.
 */
class IncastRounds
{
  public:
    IncastRounds(const RunSpec& spec, Connections& connections);

    /** Rounds that have begun. */
    const std::vector<Round>& Rounds() const
    {
        return m_rounds;
    }

  private:
    void OpenAll(int64_t spacingNs);
    void Connected();
    void BeginRound();
    void Send(uint32_t flow);
    void Delivered(uint32_t flow, uint32_t bytes);

    IncastSpec m_incast;
    uint32_t m_segmentBytes;
    Connections& m_connections;
    std::vector<std::unique_ptr<DataSource>> m_sources;
    std::vector<uint64_t> m_missing; ///< bytes of this round's unit that have not arrived, by flow
    uint32_t m_connected{0};
    uint32_t m_unfinished{0};
    std::vector<Round> m_rounds;
};

} // namespace windtunnel
