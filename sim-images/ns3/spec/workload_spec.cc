// SPDX-License-Identifier: GPL-2.0-only
#include "spec/workload_spec.h"

#include "spec/quantity.h"

#include <numeric>
#include <set>

using nlohmann::json;

namespace windtunnel
{
namespace
{

/** What a workload's reader needs besides its own fields. */
struct Context
{
    const TopologySpec& topology;
    const json& algorithm;
    int64_t baseRttNs;
};

AlgorithmSpec
ReadAlgorithm(Fields fields)
{
    AlgorithmSpec algorithm;
    algorithm.kind = fields.Plain<std::string>("kind");
    algorithm.attributes = fields.TakeRemaining();
    return algorithm;
}

AlgorithmSpec
AlgorithmOfAll(const Context& around)
{
    if (around.algorithm.is_null())
    {
        throw SpecError("scenario.algorithm: missing, and the workload's flows name none");
    }
    return ReadAlgorithm({around.algorithm, "scenario.algorithm"});
}

Workload
OneGroup(WorkloadSpec kind, const Context& around)
{
    return {std::move(kind), {{"", AlgorithmOfAll(around)}}};
}

bool
Within(const HostRange& range, uint32_t host)
{
    return host >= range.first && host - range.first < range.count;
}

std::optional<HostPairs>
ReadPairs(Fields& fields, const TopologySpec& topology, uint32_t flows)
{
    if (fields.IsNull("pairs"))
    {
        return std::nullopt;
    }
    auto pairs = fields.Plain<HostPairs>("pairs");
    if (pairs.size() != flows)
    {
        fields.Fail("pairs", "as many pairs as flows are expected");
    }
    for (const auto& [sender, receiver] : pairs)
    {
        if (!Within(topology.senders, sender) || !Within(topology.receivers, receiver) ||
            sender == receiver)
        {
            fields.Fail("pairs",
                          "[" + std::to_string(sender) + ", " + std::to_string(receiver) +
                              "] is no sender and another host that receives");
        }
    }
    return pairs;
}

int64_t
ReadJitter(Fields& fields, int64_t baseRttNs)
{
    return fields.IsNull("start_jitter") ? baseRttNs : fields.Read("start_jitter", ParseTime);
}

Workload
ReadRandomPairs(Fields& fields, const Context& around)
{
    RandomPairsSpec spec{};
    spec.flows = fields.Count("flows", 1, MAX_FLOWS);
    spec.rateBps = fields.Read("rate", ParseRate);
    spec.onMeanNs = fields.Read("on_mean", ParseTime);
    spec.offMeanNs = fields.Read("off_mean", ParseTime);
    spec.pairs = ReadPairs(fields, around.topology, spec.flows);
    return OneGroup(spec, around);
}

Workload
ReadBulk(Fields& fields, const Context& around)
{
    BulkSpec spec{};
    std::vector<FlowGroup> groups;
    std::set<std::string> names;
    for (Fields& group : fields.Objects("groups"))
    {
        FlowGroup one;
        one.name = group.Plain<std::string>("name");
        if (one.name.empty() || !names.insert(one.name).second)
        {
            group.Fail("name", "groups need different names");
        }
        one.algorithm = group.IsNull("algorithm") ? AlgorithmOfAll(around)
                                                  : ReadAlgorithm(group.Object("algorithm"));
        spec.groups.push_back(
            {group.Count("flows", 1, MAX_FLOWS), group.Read("start", ParseTime)});
        group.ExpectNoUnknownFields();
        groups.push_back(std::move(one));
    }
    if (groups.empty())
    {
        const uint32_t flows = fields.IsNull("flows") ? 1 : fields.Count("flows", 1, MAX_FLOWS);
        spec.groups.push_back({flows, 0});
        groups.push_back({"", AlgorithmOfAll(around)});
    }
    else if (!fields.IsNull("flows"))
    {
        fields.Fail("flows", "groups have their own numbers of flows");
    }
    if (spec.Flows() > MAX_FLOWS)
    {
        fields.Fail("groups", "at most " + std::to_string(MAX_FLOWS) + " flows are possible");
    }
    spec.startJitterNs = ReadJitter(fields, around.baseRttNs);
    spec.pairs = ReadPairs(fields, around.topology, spec.Flows());
    return {spec, groups};
}

/** How many hosts can send to one of the receivers. */
uint32_t
MostServers(const TopologySpec& topology)
{
    const bool receiverSends = Within(topology.senders, topology.receivers.first);
    return topology.senders.count - (receiverSends ? 1 : 0);
}

Workload
ReadIncast(Fields& fields, const Context& around)
{
    IncastSpec spec{};
    const uint32_t most = MostServers(around.topology);
    spec.servers = fields.IsNull("servers") ? most : fields.Count("servers", 1, most);
    spec.sruBytes = fields.Read("sru", ParseBytes);
    if (spec.sruBytes == 0)
    {
        fields.Fail("sru", "must be above zero");
    }
    spec.rounds = fields.Count("rounds", 0, 1'000'000);
    spec.gapNs = fields.Read("gap", ParseTime);
    spec.startJitterNs = ReadJitter(fields, around.baseRttNs);
    spec.newConnectionEachRound = fields.OneOf<bool>("connections", {{"persistent", false}, {"per-round", true}});
    return OneGroup(spec, around);
}

SizeDistribution
ReadSizes(Fields fields)
{
    const auto kind = fields.OneOf<int>(
        "kind",
        {{"web-search", 0}, {"data-mining", 1}, {"classes", 2}, {"empirical", 3}});
    SizeDistribution sizes = SizeDistribution::WebSearch();
    if (kind == 1)
    {
        sizes = SizeDistribution::DataMining();
    }
    else if (kind == 2)
    {
        sizes = SizeDistribution::OfClasses(fields.Number("mice", 0, 1),
                                            fields.Number("cat", 0, 1),
                                            fields.Number("elephant", 0, 1));
    }
    else if (kind == 3)
    {
        sizes = SizeDistribution::Empirical(
            fields.Plain<std::vector<std::pair<double, double>>>("points"));
    }
    fields.ExpectNoUnknownFields();
    return sizes;
}

Workload
ReadMixed(Fields& fields, const Context& around)
{
    const MixedSpec spec{fields.Number("load", 0.001, 2), ReadSizes(fields.Object("sizes"))};
    return OneGroup(spec, around);
}

Workload
ReadShuffle(Fields& fields, const Context& around)
{
    const TopologySpec& topology = around.topology;
    const uint32_t most = std::max(topology.senders.count, topology.receivers.count);
    ShuffleSpec spec{};
    spec.hosts = fields.IsNull("hosts") ? most : fields.Count("hosts", 1, most);
    spec.blockBytes = fields.Read("block", ParseBytes);
    if (spec.blockBytes == 0)
    {
        fields.Fail("block", "must be above zero");
    }
    spec.startJitterNs = ReadJitter(fields, around.baseRttNs);
    const uint64_t pairs = uint64_t{std::min(spec.hosts, topology.senders.count)} *
                           std::min(spec.hosts, topology.receivers.count);
    if (spec.hosts == 1 && topology.senders.first == topology.receivers.first)
    {
        fields.Fail("hosts", "one host has nobody to send to");
    }
    if (pairs > MAX_FLOWS)
    {
        fields.Fail("hosts",
                      "at most " + std::to_string(MAX_FLOWS) + " transfers are possible; take fewer");
    }
    return OneGroup(spec, around);
}

} // namespace

uint32_t
BulkSpec::Flows() const
{
    return std::accumulate(groups.begin(), groups.end(), uint32_t{0}, [](uint32_t sum, auto& group) {
        return sum + group.flows;
    });
}

Workload
ReadWorkload(Fields fields, const TopologySpec& topology, const json& algorithm, int64_t baseRttNs)
{
    using Reader = Workload (*)(Fields&, const Context&);
    const auto read = fields.OneOf<Reader>("kind",
                                           {{"random-pairs", ReadRandomPairs},
                                            {"bulk", ReadBulk},
                                            {"incast", ReadIncast},
                                            {"mixed", ReadMixed},
                                            {"shuffle", ReadShuffle}});
    const Context around{topology, algorithm, baseRttNs};
    if (!algorithm.is_null())
    {
        AlgorithmOfAll(around); // even where every group has its own
    }
    Workload workload = read(fields, around);
    fields.ExpectNoUnknownFields();
    return workload;
}

} // namespace windtunnel
