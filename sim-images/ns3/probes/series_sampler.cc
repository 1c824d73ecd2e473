// SPDX-License-Identifier: GPL-2.0-only
#include "probes/series_sampler.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <numeric>

using namespace ns3;

namespace windtunnel
{

QueueLengthSampler::QueueLengthSampler(std::vector<const Port*> ports, int64_t stepNs)
    : m_ports(std::move(ports)),
      m_stepNs(stepNs),
      m_values(m_ports.size())
{
}

void
QueueLengthSampler::Start()
{
    Simulator::ScheduleNow(&QueueLengthSampler::Sample, this);
}

void
QueueLengthSampler::Sample()
{
    for (size_t i = 0; i < m_ports.size(); ++i)
    {
        m_values[i].push_back(static_cast<float>(m_ports[i]->meter->Length()));
    }
    Simulator::Schedule(NanoSeconds(m_stepNs), &QueueLengthSampler::Sample, this);
}

std::vector<SampledSeries>
QueueLengthSampler::Take()
{
    std::vector<SampledSeries> series;
    for (size_t i = 0; i < m_ports.size(); ++i)
    {
        series.push_back({"queue_length " + m_ports[i]->name,
                          "packets",
                          0,
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
