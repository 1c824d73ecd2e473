// SPDX-License-Identifier: GPL-2.0-only
#include "workloads/schedule.h"

#include "results/sha256.h"
#include "spec/spec_error.h"

#include "ns3/random-variable-stream.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace ns3;

namespace windtunnel
{
namespace
{

constexpr int64_t PAIRS_STREAM = 1;
constexpr int64_t ARRIVALS_STREAM = 2;
constexpr int64_t SIZES_STREAM = 3;
constexpr int64_t FIRST_FLOW_STREAM = 1000;
constexpr uint32_t FLOWS_A_SENDER = 16'000; ///< ns-3 has 16,384 ephemeral ports a host
constexpr size_t MOST_PERIODS = 5'000'000;
constexpr size_t JITTERED_ROUNDS = 1024; ///< an incast of more rounds uses their jitter again

template <typename Variable>
Ptr<Variable>
Stream(int64_t stream)
{
    auto variable = CreateObject<Variable>();
    variable->SetStream(stream);
    return variable;
}

/** Exponential with the given mean, in whole nanoseconds and never zero. */
int64_t
DrawNs(const Ptr<ExponentialRandomVariable>& exponential, double meanNs)
{
    return std::max<int64_t>(1, std::llround(exponential->GetValue(meanNs, 0)));
}

int64_t
DrawJitterNs(const Ptr<UniformRandomVariable>& uniform, int64_t jitterNs)
{
    return std::llround(uniform->GetValue(0, static_cast<double>(jitterNs)));
}

/** Draws one workload's flows on one topology. */
class ScheduleGenerator
{
  public:
    explicit ScheduleGenerator(const RunSpec& spec)
        : m_spec(spec),
          m_topology(spec.topology),
          m_pairs(Stream<UniformRandomVariable>(PAIRS_STREAM))
    {
    }

    std::vector<PlannedFlow> operator()(const RandomPairsSpec& workload)
    {
        std::vector<PlannedFlow> flows;
        size_t periods = 0;
        for (uint32_t flow = 0; flow < workload.flows; ++flow)
        {
            PlannedFlow one = workload.pairs ? Given((*workload.pairs)[flow]) : DrawPair();
            one.periods = DrawPeriods(workload, FIRST_FLOW_STREAM + flow);
            periods += one.periods.size();
            if (periods > MOST_PERIODS)
            {
                throw SpecError("scenario.workload.on_mean: more than 5 million on times in all; take "
                                "longer ones");
            }
            flows.push_back(std::move(one));
        }
        return flows;
    }

    std::vector<PlannedFlow> operator()(const BulkSpec& workload)
    {
        std::vector<PlannedFlow> flows;
        for (uint32_t group = 0; group < workload.groups.size(); ++group)
        {
            for (uint32_t i = 0; i < workload.groups[group].flows; ++i)
            {
                const uint32_t flow = flows.size();
                PlannedFlow one =
                    workload.pairs ? Given((*workload.pairs)[flow]) : PairOf(flow);
                one.group = group;
                auto jitter = Stream<UniformRandomVariable>(FIRST_FLOW_STREAM + flow);
                one.startNs = workload.groups[group].startNs +
                              DrawJitterNs(jitter, workload.startJitterNs);
                flows.push_back(std::move(one));
            }
        }
        return flows;
    }

    std::vector<PlannedFlow> operator()(const IncastSpec& workload)
    {
        const uint32_t client = DrawClient();
        std::vector<PlannedFlow> flows;
        for (const uint32_t server : DrawServers(workload.servers, client))
        {
            PlannedFlow one{.sender = server, .receiver = client};
            auto jitter = Stream<UniformRandomVariable>(
                FIRST_FLOW_STREAM + static_cast<int64_t>(flows.size()));
            for (size_t round = 0; round < JITTERED_ROUNDS; ++round)
            {
                one.jitterNs.push_back(DrawJitterNs(jitter, workload.startJitterNs));
            }
            flows.push_back(std::move(one));
        }
        return flows;
    }

    std::vector<PlannedFlow> operator()(const MixedSpec& workload)
    {
        auto arrivals = Stream<ExponentialRandomVariable>(ARRIVALS_STREAM);
        auto sizes = Stream<UniformRandomVariable>(SIZES_STREAM);
        const double bytesPerSecond =
            workload.load * static_cast<double>(m_topology.loadRateBps) / 8;
        const double meanGapNs = 1e9 * workload.sizes.MeanBytes() / bytesPerSecond;
        std::vector<PlannedFlow> flows;
        for (int64_t at = DrawNs(arrivals, meanGapNs); at < m_spec.durationNs;
             at += DrawNs(arrivals, meanGapNs))
        {
            if (flows.size() == MAX_FLOWS)
            {
                throw SpecError("scenario.workload.load: more than " + std::to_string(MAX_FLOWS) +
                                " flows arrive; take a lower load, larger sizes or a shorter run");
            }
            PlannedFlow one = DrawPair();
            one.startNs = at;
            one.bytes = workload.sizes.Quantile(sizes->GetValue(0, 1));
            flows.push_back(std::move(one));
        }
        return flows;
    }

    std::vector<PlannedFlow> operator()(const ShuffleSpec& workload)
    {
        const uint32_t senders = std::min(workload.hosts, m_topology.senders.count);
        const uint32_t receivers = std::min(workload.hosts, m_topology.receivers.count);
        std::vector<PlannedFlow> flows;
        for (uint32_t from = 0; from < senders; ++from)
        {
            for (uint32_t to = 0; to < receivers; ++to)
            {
                PlannedFlow one{.sender = m_topology.senders.first + from,
                                .receiver = m_topology.receivers.first + to,
                                .bytes = workload.blockBytes};
                if (one.sender != one.receiver)
                {
                    auto jitter = Stream<UniformRandomVariable>(
                        FIRST_FLOW_STREAM + static_cast<int64_t>(flows.size()));
                    one.startNs = DrawJitterNs(jitter, workload.startJitterNs);
                    flows.push_back(std::move(one));
                }
            }
        }
        return flows;
    }

  private:
    uint32_t DrawFrom(const HostRange& range)
    {
        return range.first + m_pairs->GetInteger(0, range.count - 1);
    }

    PlannedFlow Given(const std::pair<uint32_t, uint32_t>& pair) const
    {
        return {.sender = pair.first, .receiver = pair.second};
    }

    PlannedFlow DrawPair()
    {
        const uint32_t sender = DrawFrom(m_topology.senders);
        uint32_t receiver = DrawFrom(m_topology.receivers);
        while (receiver == sender)
        {
            receiver = DrawFrom(m_topology.receivers);
        }
        return {.sender = sender, .receiver = receiver};
    }

    /** Sender i to receiver i where these are different hosts, else a drawn pair. */
    PlannedFlow PairOf(uint32_t flow)
    {
        if (m_topology.senders.first == m_topology.receivers.first)
        {
            return DrawPair();
        }
        return {.sender = m_topology.senders.first + flow % m_topology.senders.count,
                .receiver = m_topology.receivers.first + flow % m_topology.receivers.count};
    }

    uint32_t DrawClient()
    {
        const bool given = m_topology.receivers.first >= m_topology.senders.count;
        return given ? m_topology.receivers.first : DrawFrom(m_topology.receivers);
    }

    /** Different senders: the first ones where the topology has a client, else drawn. */
    std::vector<uint32_t> DrawServers(uint32_t count, uint32_t client)
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

    std::vector<OnPeriod> DrawPeriods(const RandomPairsSpec& workload, int64_t stream) const
    {
        auto exponential = Stream<ExponentialRandomVariable>(stream);
        const auto onNs = static_cast<double>(workload.onMeanNs);
        const auto offNs = static_cast<double>(workload.offMeanNs);
        std::vector<OnPeriod> periods;
        int64_t at = DrawNs(exponential, offNs);
        while (at < m_spec.durationNs)
        {
            const int64_t end = at + DrawNs(exponential, onNs);
            periods.push_back({at, std::min(end, m_spec.durationNs)});
            at = end + DrawNs(exponential, offNs);
        }
        return periods;
    }

    const RunSpec& m_spec;
    const TopologySpec& m_topology;
    Ptr<UniformRandomVariable> m_pairs;
};

} // namespace

Schedule
DrawSchedule(const RunSpec& spec)
{
    Schedule schedule{std::visit(ScheduleGenerator(spec), spec.workload)};
    std::vector<uint32_t> flowsFrom(spec.topology.hosts);
    for (const PlannedFlow& flow : schedule.flows)
    {
        if (++flowsFrom[flow.sender] > FLOWS_A_SENDER)
        {
            throw SpecError("scenario.workload: more than " + std::to_string(FLOWS_A_SENDER) +
                            " flows from one host, which has no more TCP ports; take more hosts or "
                            "fewer flows");
        }
    }
    return schedule;
}

std::string
Schedule::Digest() const
{
    Sha256 hash;
    for (const PlannedFlow& flow : flows)
    {
        hash.Update(std::to_string(flow.sender) + ">" + std::to_string(flow.receiver) + " @" +
                    std::to_string(flow.startNs) + " " + std::to_string(flow.bytes));
        for (const OnPeriod& period : flow.periods)
        {
            hash.Update(" " + std::to_string(period.beginNs) + "-" + std::to_string(period.endNs));
        }
        for (const int64_t jitter : flow.jitterNs)
        {
            hash.Update(" +" + std::to_string(jitter));
        }
        hash.Update("\n");
    }
    return hash.HexDigest();
}

} // namespace windtunnel
