// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workloads/data_source.h"
#include "workloads/traffic.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace windtunnel
{

/** What every server sends in a round, and when the next one begins. */
struct ReadSpec
{
    uint32_t servers;
    uint32_t sruBytes;
    uint32_t rounds; ///< 0: until the run ends
    int64_t gapNs;
    bool newConnectionEachRound;
};

/**
 * Synchronized reads of a striped block (Phanishayee et al., FAST 2008): in every round each server
 * sends its server request unit; `gap` after the last byte of all has arrived the next round begins.
 *
 * Connections are opened one after the other at the start, and the first round begins a gap after
 * the last has been accepted; or each round opens its own.
 */
class SynchronizedReads final : public Traffic
{
  public:
    SynchronizedReads(const ReadSpec& spec, const TrafficContext& context);

    const RoundLog* Rounds() const override
    {
        return &m_log;
    }

  private:
    void OpenAll(int64_t spacingNs);
    void Connected();
    void BeginRound();
    void Send(uint32_t flow);
    void Delivered(uint32_t flow, uint32_t bytes);

    ReadSpec m_spec;
    uint32_t m_segmentBytes;
    Connections& m_connections;
    std::vector<std::unique_ptr<DataSource>> m_sources;
    std::vector<uint64_t> m_missing; ///< bytes of this round's request that have not arrived, by flow
    uint32_t m_connected{0};
    uint32_t m_unfinished{0};
    RoundLog m_log;
};

} // namespace windtunnel
