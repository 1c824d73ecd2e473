// SPDX-License-Identifier: GPL-2.0-only
#include "congestion/catalogue.h"
#include "base/quantity.h"
#include "spec/run_spec.h"
#include "topologies/fat_tree.h"
#include "base/spec_error.h"

#include <gtest/gtest.h>

using namespace windtunnel;
using nlohmann::json;

TEST(Quantity, TakesOnlyCanonicalForms)
{
    EXPECT_EQ(ParseRate("100000000bps"), 100'000'000U);
    EXPECT_EQ(ParseTime("0ns"), 0);
    EXPECT_EQ(ParseBytes("1448B"), 1448U);
    const BandwidthDelayProduct product{6'000'000, 200'000'000, 1500}; // 150,000 bytes
    EXPECT_EQ(ParseQueueLimit("100p", product).value, 100U);
    EXPECT_EQ(ParseQueueLimit("3000B", product).unit, QueueLimit::Unit::Bytes);
    EXPECT_EQ(ParseQueueLimit("1000mbdp", product).value, 100U);
    EXPECT_EQ(ParseQueueLimit("255mbdp", product).value, 25U); // rounded down
    EXPECT_EQ(ParseQueueLimit("1mbdp", product).value, 1U);    // at least one
    for (const char* text : {"", "1", "-1bps", "+1bps", "1.5bps", "1 bps", "1Mbps", "1bpsx"})
    {
        EXPECT_THROW(ParseRate(text), SpecError) << text;
    }
    EXPECT_THROW(ParseBytes("4294967296B"), SpecError);
    EXPECT_THROW(ParseTime("9223372036854775808ns"), SpecError);
}

namespace
{

json
ValidSpec()
{
    return json::parse(R"({"simulator":"ns3","seed_index":1,"scenario":{
        "topology":{"kind":"fat-tree","k":4,"rack":"point-to-point","routing":"single-path",
                    "link":{"rate":"100000000bps","delay":"1000ns"},
                    "host_link":null,"aggregation_link":null,"core_link":null,
                    "queue":{"kind":"drop-tail","limit":"100p","ns325_device_queue":null},
                    "host_queue":null,"edge_queue":null,"aggregation_queue":null,
                    "core_queue":null},
        "workload":{"kind":"random-pairs","flows":2,"rate":"50000000bps","on_mean":"1000000000ns",
                    "off_mean":"1000000000ns","pairs":null},
        "algorithm":{"kind":"vegas","Alpha":1},
        "transport":{"segment":"1448B","initial_cwnd":1,"initial_ssthresh":"2000000B","sack":true,
                     "timestamps":true,"window_scaling":true,"ecn":false,"delayed_ack_count":2,
                     "delayed_ack_timeout":"200000000ns","min_rto":"1000000000ns",
                     "recovery":"prr","send_buffer":"131072B","receive_buffer":"131072B"},
        "duration":"1000000000ns","warmup":"0ns","series":[]}})");
}

std::string
Refusal(const std::string& pointer, const json& value)
{
    json spec = ValidSpec();
    spec[json::json_pointer(pointer)] = value;
    try
    {
        RunSpec::FromJson(spec);
    }
    catch (const SpecError& error)
    {
        return error.what();
    }
    return "";
}

} // namespace

TEST(RunSpec, ReadsWhatItIsGiven)
{
    const RunSpec spec = RunSpec::FromJson(ValidSpec());
    const auto& tree = std::any_cast<FatTreeSpec>(spec.topology.parameters);
    EXPECT_EQ(tree.k, 4U);
    EXPECT_EQ(tree.coreLink.delay.GetNanoSeconds(), 1000);
    EXPECT_EQ(spec.topology.PropagationRttNs(), 12'000);
    ASSERT_EQ(spec.workload->Groups().size(), 1U);
    EXPECT_EQ(spec.workload->Groups()[0].algorithm.attributes, json({{"Alpha", 1}}));
}

TEST(RunSpec, NamesTheFieldThatItRefuses)
{
    EXPECT_TRUE(Refusal("/scenario/topology/k", 5).starts_with("scenario.topology.k:"));
    EXPECT_TRUE(Refusal("/scenario/topology/k", -4).starts_with("scenario.topology.k:"));
    EXPECT_TRUE(Refusal("/scenario/topology/k", 4.5).starts_with("scenario.topology.k:"));
    EXPECT_TRUE(Refusal("/scenario/warmup", "1000000000ns").starts_with("scenario.warmup:"));
    EXPECT_TRUE(Refusal("/scenario/transport/sack", 1).starts_with("scenario.transport.sack:"));
    EXPECT_TRUE(Refusal("/scenario/transport/segment", "1449B")
                    .starts_with("scenario.transport.segment:"));
    EXPECT_TRUE(Refusal("/scenario/topology/typo", 1).starts_with("scenario.topology.typo:"));
    EXPECT_TRUE(Refusal("/scenario/workload/pairs", json::parse("[[0,1],[2,16]]"))
                    .starts_with("scenario.workload.pairs:"));
    EXPECT_TRUE(Refusal("/scenario/topology/core_queue",
                        json::parse(R"({"kind":"codle","limit":"10p"})"))
                    .starts_with("scenario.topology.core_queue.kind:"));
    EXPECT_TRUE(Refusal("/scenario/topology/core_queue",
                        json::parse(R"({"kind":"pfifo-fast","limit":"1500B"})"))
                    .starts_with("scenario.topology.core_queue.limit:"));
    EXPECT_TRUE(Refusal("/scenario/algorithm", nullptr).starts_with("scenario.algorithm:"));
    EXPECT_TRUE(Refusal("/seed_index", 0).starts_with("seed_index:"));
}

TEST(RunSpec, RefusesAGroupThatStartsWhenTheRunHasEnded)
{
    const auto startingAt = [](const std::string& start) {
        return json{{"kind", "bulk"},
                    {"flows", nullptr},
                    {"groups",
                     {{{"name", "late"}, {"flows", 1}, {"algorithm", nullptr}, {"start", start}}}},
                    {"start_jitter", nullptr},
                    {"pairs", nullptr}};
    };
    EXPECT_EQ(Refusal("/scenario/workload", startingAt("999999999ns")), "");
    EXPECT_TRUE(Refusal("/scenario/workload", startingAt("1000000000ns"))
                    .starts_with("scenario.workload.groups[0].start:"));
}

TEST(Catalogue, MakesEveryAlgorithmWithItsDefaults)
{
    for (const Algorithm& algorithm : Algorithms())
    {
        json attributes = json::object();
        for (const auto& [name, schema] : SchemaOf(algorithm)["properties"].items())
        {
            if (name != "kind" && name != "Rounding") // the receiver's
            {
                attributes[name] = schema["default"];
            }
        }
        const auto control = MakeCongestionControl({algorithm.name, attributes});
        EXPECT_EQ(control->GetInstanceTypeId().GetName(), algorithm.type);
    }
}

TEST(Catalogue, RefusesWhatTheTypeDoesNotHave)
{
    EXPECT_THROW(MakeCongestionControl({"cubik", json::object()}), SpecError);
    EXPECT_THROW(MakeCongestionControl({"vegas", {{"Delta", 1}}}), SpecError);
    EXPECT_THROW(MakeCongestionControl({"vegas", {{"Alpha", -1}}}), SpecError);
}
