// SPDX-License-Identifier: GPL-2.0-only
#include "workloads/schedule.h"

#include "results/sha256.h"

#include "ns3/double.h"
#include "ns3/random-variable-stream.h"

#include <algorithm>
#include <cmath>

using namespace ns3;

namespace windtunnel
{
namespace
{

constexpr int64_t PAIRS_STREAM = 1;
constexpr int64_t FIRST_FLOW_STREAM = 1000;

std::pair<uint32_t, uint32_t>
DrawPair(const Ptr<UniformRandomVariable>& uniform, uint32_t hosts)
{
    const uint32_t sender = uniform->GetInteger(0, hosts - 1);
    uint32_t receiver = sender;
    while (receiver == sender)
    {
        receiver = uniform->GetInteger(0, hosts - 1);
    }
    return {sender, receiver};
}

/** Exponential with the given mean, in whole nanoseconds and never zero. */
int64_t
DrawNs(const Ptr<ExponentialRandomVariable>& exponential, int64_t meanNs)
{
    const double drawn = exponential->GetValue(static_cast<double>(meanNs), 0);
    return std::max<int64_t>(1, std::llround(drawn));
}

std::vector<OnPeriod>
DrawPeriods(const RandomPairsSpec& spec, int64_t stream, int64_t durationNs)
{
    auto exponential = CreateObject<ExponentialRandomVariable>();
    exponential->SetStream(stream);
    std::vector<OnPeriod> periods;
    int64_t at = DrawNs(exponential, spec.offMeanNs);
    while (at < durationNs)
    {
        const int64_t end = at + DrawNs(exponential, spec.onMeanNs);
        periods.push_back({at, std::min(end, durationNs)});
        at = end + DrawNs(exponential, spec.offMeanNs);
    }
    return periods;
}

} // namespace

Schedule
DrawSchedule(const RandomPairsSpec& spec, uint32_t hosts, int64_t durationNs)
{
    auto uniform = CreateObject<UniformRandomVariable>();
    uniform->SetStream(PAIRS_STREAM);
    Schedule schedule;
    for (uint32_t flow = 0; flow < spec.flows; ++flow)
    {
        const auto pair = spec.pairs ? (*spec.pairs)[flow] : DrawPair(uniform, hosts);
        schedule.flows.push_back(
            {pair.first, pair.second, DrawPeriods(spec, FIRST_FLOW_STREAM + flow, durationNs)});
    }
    return schedule;
}

std::string
Schedule::Digest() const
{
    Sha256 hash;
    for (const Flow& flow : flows)
    {
        hash.Update(std::to_string(flow.sender) + ">" + std::to_string(flow.receiver));
        for (const OnPeriod& period : flow.periods)
        {
            hash.Update(" " + std::to_string(period.beginNs) + "-" + std::to_string(period.endNs));
        }
        hash.Update("\n");
    }
    return hash.HexDigest();
}

} // namespace windtunnel
