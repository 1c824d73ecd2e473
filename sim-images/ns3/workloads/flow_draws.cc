// SPDX-License-Identifier: GPL-2.0-only
#include "workloads/flow_draws.h"

#include "base/random_streams.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace ns3;

namespace windtunnel
{

int64_t
DrawExponentialNs(const Ptr<ExponentialRandomVariable>& variable, double meanNs)
{
    return std::max<int64_t>(1, std::llround(variable->GetValue(meanNs, 0)));
}

FlowDraws::FlowDraws(const TopologySpec& topology, int64_t durationNs)
    : m_topology(topology),
      m_durationNs(durationNs),
      m_pairs(WithStream<UniformRandomVariable>(streams::PAIRS))
{
}

uint32_t
FlowDraws::DrawFrom(const HostRange& range)
{
    return range.first + m_pairs->GetInteger(0, range.count - 1);
}

PlannedFlow
FlowDraws::DrawPair()
{
    const uint32_t sender = DrawFrom(m_topology.senders);
    uint32_t receiver = DrawFrom(m_topology.receivers);
    while (receiver == sender)
    {
        receiver = DrawFrom(m_topology.receivers);
    }
    return {.sender = sender, .receiver = receiver};
}

PlannedFlow
FlowDraws::PairOf(uint32_t flow)
{
    if (m_topology.senders.first == m_topology.receivers.first)
    {
        return DrawPair();
    }
    return {.sender = m_topology.senders.first + flow % m_topology.senders.count,
            .receiver = m_topology.receivers.first + flow % m_topology.receivers.count};
}

uint32_t
FlowDraws::DrawClient()
{
    const bool fixed = m_topology.receivers.first >= m_topology.senders.count;
    return fixed ? m_topology.receivers.first : DrawFrom(m_topology.receivers);
}

std::vector<uint32_t>
FlowDraws::DrawServers(uint32_t count, uint32_t client)
{
    std::vector<uint32_t> hosts(m_topology.senders.count);
    std::iota(hosts.begin(), hosts.end(), m_topology.senders.first);
    std::erase(hosts, client);
    if (hosts.size() < m_topology.senders.count) // the client is one of the senders' range
    {
        for (uint32_t i = 0; i < count; ++i)
        {
            std::swap(hosts[i], hosts[m_pairs->GetInteger(i, hosts.size() - 1)]);
        }
    }
    hosts.resize(count);
    return hosts;
}

std::vector<int64_t>
FlowDraws::DrawJitters(uint32_t flow, int64_t jitterNs, size_t count)
{
    auto uniform = WithStream<UniformRandomVariable>(streams::FIRST_FLOW + flow);
    std::vector<int64_t> jitters(count);
    std::ranges::generate(jitters, [&uniform, jitterNs] {
        return std::llround(uniform->GetValue(0, static_cast<double>(jitterNs)));
    });
    return jitters;
}

int64_t
FlowDraws::DrawJitter(uint32_t flow, int64_t jitterNs)
{
    return DrawJitters(flow, jitterNs, 1).front();
}

std::vector<OnPeriod>
FlowDraws::DrawPeriods(uint32_t flow, int64_t onMeanNs, int64_t offMeanNs) const
{
    auto exponential = WithStream<ExponentialRandomVariable>(streams::FIRST_FLOW + flow);
    const auto onNs = static_cast<double>(onMeanNs);
    const auto offNs = static_cast<double>(offMeanNs);
    std::vector<OnPeriod> periods;
    int64_t at = DrawExponentialNs(exponential, offNs);
    while (at < m_durationNs)
    {
        const int64_t end = at + DrawExponentialNs(exponential, onNs);
        periods.push_back({at, std::min(end, m_durationNs)});
        at = end + DrawExponentialNs(exponential, offNs);
    }
    return periods;
}

} // namespace windtunnel
