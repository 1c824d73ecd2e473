// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace windtunnel
{

/** A recorded time series: the value at first + i * step, i = 0, 1, ... */
struct SampledSeries
{
    std::string name;
    std::string unit;
    int64_t firstNs;
    int64_t stepNs;
    std::vector<float> values;
};

/** Something that can be read at any instant of a run. */
struct Reading
{
    std::string name;
    std::string unit;
    std::function<double()> read;
};

/** When a quantity is read: once in every interval of a run. */
enum class SampledAt
{
    Begin, ///< the value of an instant: from the run's start on
    End    ///< the growth over an interval: the last may end with the run
};

/** Reads several quantities at fixed instants. */
class SeriesSampler
{
  public:
    SeriesSampler(std::vector<Reading> readings, SampledAt at, int64_t stepNs);

    void Start();

    /** What has been read, when the run has ended. */
    std::vector<SampledSeries> Take();

  private:
    void Read();
    void Sample();

    std::vector<Reading> m_readings;
    SampledAt m_at;
    int64_t m_firstNs;
    int64_t m_stepNs;
    int64_t m_nextNs;
    std::vector<std::vector<float>> m_values;
};

/** Bytes delivered to applications, all flows together, in intervals from the warm-up's end. */
class GoodputSeries
{
  public:
    GoodputSeries(int64_t warmupNs, int64_t durationNs);

    void Delivered(int64_t nowNs, uint32_t bytes);

    uint64_t TotalBytes() const;
    SampledSeries Take() const;

  private:
    int64_t m_warmupNs;
    int64_t m_stepNs;
    std::vector<uint64_t> m_bytes;
};

} // namespace windtunnel
