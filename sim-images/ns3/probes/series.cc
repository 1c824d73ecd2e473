// SPDX-License-Identifier: GPL-2.0-only
#include "probes/series.h"

#include "ns3/nstime.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <numeric>

using namespace ns3;

namespace windtunnel
{

SeriesSampler::SeriesSampler(std::vector<Reading> readings, SampledAt at, int64_t stepNs)
    : m_readings(std::move(readings)),
      m_at(at),
      m_firstNs(at == SampledAt::Begin ? 0 : stepNs),
      m_stepNs(stepNs),
      m_nextNs(m_firstNs),
      m_values(m_readings.size())
{
}

void
SeriesSampler::Start()
{
    Simulator::Schedule(NanoSeconds(m_firstNs), &SeriesSampler::Sample, this);
}

void
SeriesSampler::Read()
{
    for (size_t i = 0; i < m_readings.size(); ++i)
    {
        m_values[i].push_back(static_cast<float>(m_readings[i].read()));
    }
    m_nextNs += m_stepNs;
}

void
SeriesSampler::Sample()
{
    Read();
    Simulator::Schedule(NanoSeconds(m_stepNs), &SeriesSampler::Sample, this);
}

std::vector<SampledSeries>
SeriesSampler::Take()
{
    // The run stops before the events of its last instant, in which its last interval ends.
    if (m_at == SampledAt::End && m_nextNs == Simulator::Now().GetNanoSeconds())
    {
        Read();
    }
    std::vector<SampledSeries> series;
    for (size_t i = 0; i < m_readings.size(); ++i)
    {
        series.push_back({m_readings[i].name,
                          m_readings[i].unit,
                          m_firstNs,
                          m_stepNs,
                          std::move(m_values[i])});
    }
    return series;
}

namespace
{

constexpr int64_t GOODPUT_INTERVAL_NS = 100'000'000;

} // namespace

GoodputSeries::GoodputSeries(int64_t warmupNs, int64_t durationNs)
    : m_warmupNs(warmupNs),
      m_stepNs(std::min(GOODPUT_INTERVAL_NS, durationNs - warmupNs)),
      m_bytes((durationNs - warmupNs + m_stepNs - 1) / m_stepNs)
{
}

void
GoodputSeries::Delivered(int64_t nowNs, uint32_t bytes)
{
    if (nowNs >= m_warmupNs)
    {
        // What arrives at the very end of the run belongs to the last interval.
        const size_t interval = (nowNs - m_warmupNs) / m_stepNs;
        m_bytes[std::min(interval, m_bytes.size() - 1)] += bytes;
    }
}

uint64_t
GoodputSeries::TotalBytes() const
{
    return std::accumulate(m_bytes.begin(), m_bytes.end(), uint64_t{0});
}

SampledSeries
GoodputSeries::Take() const
{
    SampledSeries series{"goodput", "Mb/s", m_warmupNs, m_stepNs, {}};
    for (const uint64_t bytes : m_bytes)
    {
        const double mbps = static_cast<double>(bytes) * 8e3 / static_cast<double>(m_stepNs);
        series.values.push_back(static_cast<float>(mbps));
    }
    return series;
}

} // namespace windtunnel
