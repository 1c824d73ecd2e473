// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "base/sha256.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace windtunnel
{

/** Record fields keep the order in which they are written: the digest is over bytes. */
using Record = nlohmann::ordered_json;

/**
 * Writes a run's records, one JSON object a line, and digests the deterministic ones.
 *
 * A record's digest is SHA-256 over its line up to `,"metadata":`, the last member, where everything
 * stands that may differ between two executions of one run (versions, seed index, host, memory,
 * wall clock). The stream's digest is SHA-256 over the records' 32-byte digests in order; progress
 * records and `finished` itself are left out.
 */
class RecordStream
{
  public:
    explicit RecordStream(std::ostream& out)
        : m_out(out)
    {
    }

    void Started(const Record& configuration, const std::string& schedule, const Record& metadata);
    void Progress(int64_t simulatedNs, int64_t durationNs, uint64_t events);
    void Metric(std::string_view name, double value);
    void Series(std::string_view name,
                std::string_view unit,
                int64_t firstNs,
                int64_t stepNs,
                const std::vector<float>& values);
    void PacketDelay(const Record& fields);
    void Flow(const Record& fields);
    void Port(const Record& fields);
    void Check(std::string_view name, bool held, const std::string& detail);
    void Finished(uint64_t events, const Record& metadata);

    bool AllChecksHeld() const
    {
        return m_allHeld;
    }

  private:
    void Fields(std::string_view type, const Record& fields);
    void WriteDigested(const std::string& deterministic, const Record* metadata);

    std::ostream& m_out;
    Sha256 m_stream;
    bool m_allHeld{true};
};

} // namespace windtunnel
