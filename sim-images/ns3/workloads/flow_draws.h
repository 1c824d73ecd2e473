// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "topologies/topology.h"
#include "workloads/schedule.h"

#include "ns3/random-variable-stream.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace windtunnel
{

using HostPair = std::pair<uint32_t, uint32_t>; ///< sender, receiver
using HostPairs = std::vector<HostPair>;

/** A flow between given hosts. */
inline PlannedFlow
FlowBetween(const HostPair& hosts)
{
    return {.sender = hosts.first, .receiver = hosts.second};
}

/** A random variable with a stream number of its own. */
template <typename Variable>
ns3::Ptr<Variable>
WithStream(int64_t stream)
{
    auto variable = ns3::CreateObject<Variable>();
    variable->SetStream(stream);
    return variable;
}

/** Exponential with the given mean, in whole nanoseconds and never zero. */
int64_t DrawExponentialNs(const ns3::Ptr<ns3::ExponentialRandomVariable>& variable, double meanNs);

/**
 * Draws the flows of one run on one topology. Flow f's times come from a stream of its own, so that
 * more flows do not move those that were there.
 */
class FlowDraws
{
  public:
    FlowDraws(const TopologySpec& topology, int64_t durationNs);

    const TopologySpec& Topology() const
    {
        return m_topology;
    }

    int64_t DurationNs() const
    {
        return m_durationNs;
    }

    /** A sender and another host that receives, uniformly: the receiver again while it is the
     *  sender. */
    PlannedFlow DrawPair();

    /** Sender i to receiver i where these are different hosts, else a drawn pair. */
    PlannedFlow PairOf(uint32_t flow);

    /** The topology's client, or a drawn receiver. */
    uint32_t DrawClient();

    /** Different senders: the first ones where the topology has a client, else drawn. */
    std::vector<uint32_t> DrawServers(uint32_t count, uint32_t client);

    /** Of flow @p flow: @p count uniform draws up to @p jitterNs. */
    std::vector<int64_t> DrawJitters(uint32_t flow, int64_t jitterNs, size_t count);

    /** The same, once. */
    int64_t DrawJitter(uint32_t flow, int64_t jitterNs);

    /** Of flow @p flow: exponential off and on times in turn, up to the run's end. */
    std::vector<OnPeriod> DrawPeriods(uint32_t flow, int64_t onMeanNs, int64_t offMeanNs) const;

  private:
    uint32_t DrawFrom(const HostRange& range);

    const TopologySpec& m_topology;
    int64_t m_durationNs;
    ns3::Ptr<ns3::UniformRandomVariable> m_pairs;
};

} // namespace windtunnel
