// SPDX-License-Identifier: GPL-2.0-only
#include "spec/run_spec.h"

#include "base/quantity.h"
#include "fabric/link.h"

using nlohmann::json;

namespace windtunnel
{
namespace
{

TransportSpec
ReadTransport(Fields fields)
{
    TransportSpec spec{};
    spec.segmentBytes = fields.Read("segment", ParseBytes);
    spec.initialCwndSegments = fields.Count("initial_cwnd", 1, 10'000);
    spec.initialSsthreshBytes = fields.Read("initial_ssthresh", ParseBytes);
    spec.sack = fields.Plain<bool>("sack");
    spec.timestamps = fields.Plain<bool>("timestamps");
    spec.windowScaling = fields.Plain<bool>("window_scaling");
    spec.ecn = fields.Plain<bool>("ecn");
    spec.delayedAckCount = fields.Count("delayed_ack_count", 1, 100);
    spec.delayedAckTimeoutNs = fields.Read("delayed_ack_timeout", ParseTime);
    spec.minRtoNs = fields.Read("min_rto", ParseTime);
    spec.recovery =
        fields.OneOf<std::string>("recovery", {{"prr", "prr"}, {"classic", "classic"}});
    spec.sendBufferBytes = fields.Read("send_buffer", ParseBytes);
    spec.receiveBufferBytes = fields.Read("receive_buffer", ParseBytes);
    if (spec.segmentBytes == 0 || spec.PacketBytes() > Link::MTU)
    {
        fields.Fail("segment",
                      "with " + std::to_string(spec.HeaderBytes()) +
                          " bytes of headers it must fit 1500 bytes, or it would fragment");
    }
    fields.ExpectNoUnknownFields();
    return spec;
}

std::vector<SeriesSpec>
ReadSeries(Fields& scenario)
{
    std::vector<SeriesSpec> series;
    for (Fields& fields : scenario.Objects("series"))
    {
        SeriesSpec one;
        one.probe = fields.OneOf<std::string>("probe", {{"queue_length", "queue_length"},
                                                 {"link_utilization", "link_utilization"},
                                                 {"link_drops", "link_drops"},
                                                 {"ecn_marks", "ecn_marks"},
                                                 {"cwnd", "cwnd"},
                                                 {"rtt", "rtt"},
                                                 {"goodput", "goodput"}});
        one.at = fields.Plain<std::string>("at");
        one.stepNs = fields.Read("step", ParseTime);
        if (one.stepNs <= 0)
        {
            fields.Fail("step", "must be above zero");
        }
        fields.ExpectNoUnknownFields();
        series.push_back(one);
    }
    return series;
}

} // namespace

RunSpec
RunSpec::FromJson(const json& document)
{
    Fields root(document, "");
    root.At("simulator"); // which program this is for; its digest is the worker's to compare
    RunSpec spec{};
    spec.seedIndex = root.Count("seed_index", 1, 1'000'000'000);
    Fields scenario = root.Object("scenario");
    spec.transport = ReadTransport(scenario.Object("transport"));
    spec.topology = ReadTopology(scenario.Object("topology"), spec.transport.PacketBytes());
    const int64_t baseRttNs =
        spec.topology.BaseRttNs(spec.transport.PacketBytes(), spec.transport.HeaderBytes());
    spec.durationNs = scenario.Read("duration", ParseTime);
    spec.workload =
        ReadWorkload(scenario.Object("workload"),
                     {spec.topology, scenario.At("algorithm"), baseRttNs, spec.durationNs});
    spec.warmupNs = scenario.Read("warmup", ParseTime);
    if (spec.warmupNs >= spec.durationNs)
    {
        scenario.Fail("warmup", "must end before the duration does");
    }
    spec.series = ReadSeries(scenario);
    scenario.ExpectNoUnknownFields();
    root.ExpectNoUnknownFields();
    return spec;
}

} // namespace windtunnel
