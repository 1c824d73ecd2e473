// SPDX-License-Identifier: GPL-2.0-only
#include "congestion/catalogue.h"
#include "spec/quantity.h"
#include "spec/run_spec.h"
#include "spec/spec_error.h"

#include <gtest/gtest.h>

using namespace windtunnel;
using nlohmann::json;

TEST(Quantity, TakesOnlyCanonicalForms)
{
    EXPECT_EQ(ParseRate("100000000bps"), 100'000'000U);
    EXPECT_EQ(ParseTime("0ns"), 0);
    EXPECT_EQ(ParseBytes("1448B"), 1448U);
    EXPECT_EQ(ParseQueueLimit("100p").value, 100U);
    EXPECT_EQ(ParseQueueLimit("3000B").unit, QueueLimit::Unit::Bytes);
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
                    "queue":{"kind":"drop-tail","limit":"100p"}},
        "workload":{"kind":"random-pairs","flows":2,"rate":"50000000bps","on":"1000000000ns",
                    "off":"1000000000ns","pairs":null},
        "algorithm":{"kind":"vegas","Alpha":1},
        "transport":{"segment":"1448B","initial_cwnd":1,"initial_ssthresh":"2000000B","sack":true,
                     "timestamps":true,"window_scaling":true,"delayed_ack_count":2,
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
    EXPECT_EQ(spec.topology.k, 4U);
    EXPECT_EQ(spec.topology.link.delay.GetNanoSeconds(), 1000);
    EXPECT_EQ(spec.algorithm.attributes, json({{"Alpha", 1}}));
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
    EXPECT_TRUE(Refusal("/seed_index", 0).starts_with("seed_index:"));
}

TEST(Catalogue, MakesEveryAlgorithmWithItsDefaults)
{
    for (const Algorithm& algorithm : Algorithms())
    {
        json attributes = json::object();
        for (const auto& [name, schema] : SchemaOf(algorithm)["properties"].items())
        {
            if (name != "kind")
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
