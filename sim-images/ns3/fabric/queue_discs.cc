// SPDX-License-Identifier: GPL-2.0-only
#include "fabric/queue_discs.h"

#include "base/attributes.h"
#include "base/quantity.h"

#include "ns3/fq-codel-queue-disc.h"
#include "ns3/pie-queue-disc.h"
#include "ns3/queue-size.h"
#include "ns3/red-queue-disc.h"
#include "ns3/string.h"

#include <algorithm>

using namespace ns3;
using nlohmann::json;

namespace windtunnel
{
namespace
{

constexpr uint32_t MTU = 1500; ///< FQ-CoDel's quantum, which it would ask of a device

/** A time that ns-3 holds as a text. */
json
TimeText(const char* initial)
{
    return {{"type", "string"},
            {"x-quantity", "time"},
            {"x-minimum", "1us"},
            {"x-maximum", "10s"},
            {"default", initial}};
}

json
TimeFrom(const char* least)
{
    return {{"x-minimum", least}, {"x-maximum", "100s"}};
}

json
Between(const json& low, const json& high)
{
    return {{"minimum", low}, {"maximum", high}};
}

/** Discs that take no limit in bytes; for RED its thresholds would then mean bytes as well. */
bool
CountsPackets(const std::string& kind)
{
    return kind == "pfifo-fast" || kind == "fq-codel" || kind == "red";
}

const QueueDiscKind&
KindOf(const std::string& name)
{
    const auto& all = QueueDiscKinds();
    return *std::find_if(all.begin(), all.end(), [&name](const auto& kind) {
        return kind.name == name;
    });
}

ObjectFactory
FactoryOf(const QueueConfig& queue, const std::string& path)
{
    const QueueDiscKind& kind = KindOf(queue.kind);
    ObjectFactory factory(kind.type);
    const auto unit = queue.limit.unit == QueueLimit::Unit::Packets ? QueueSizeUnit::PACKETS
                                                                    : QueueSizeUnit::BYTES;
    factory.Set("MaxSize", QueueSizeValue(QueueSize(unit, queue.limit.value)));
    const TypeId type = TypeId::LookupByName(kind.type);
    for (const auto& attribute : kind.attributes)
    {
        if (!queue.attributes.contains(attribute.name))
        {
            throw SpecError(path + "." + attribute.name + ": missing");
        }
        SetAttribute(factory, type, attribute.name, queue.attributes[attribute.name], path);
    }
    return factory;
}

} // namespace

const std::vector<QueueDiscKind>&
QueueDiscKinds()
{
    static const std::vector<QueueDiscKind> all{
        {"pfifo-fast",
         "ns3::PfifoFastQueueDisc",
         "Three bands by priority, each first in, first out; all TCP packets are in one of them.",
         "Linux",
         {}},
        {"red",
         "ns3::RedQueueDisc",
         "Random early detection: drops or marks with a probability that grows with the average "
         "queue. MinTh and MaxTh are in packets.",
         "Floyd and Jacobson, ToN 1(4), 1993",
         {{"MinTh", Between(0, 1e9)},
          {"MaxTh", Between(0, 1e9)},
          {"QW", Between(0, 1)},
          {"LInterm", Between(1, 1e6)},
          {"Gentle"},
          {"ARED"},
          {"UseEcn"},
          {"UseHardDrop"}}},
        {"codel",
         "ns3::CoDelQueueDisc",
         "Drops or marks when packets have waited longer than Target for an Interval.",
         "RFC 8289",
         {{"UseEcn"}, {"Target", TimeFrom("1us")}, {"Interval", TimeFrom("1us")}}},
        {"fq-codel",
         "ns3::FqCoDelQueueDisc",
         "A CoDel queue for each of a number of hashed flows, served in turn.",
         "RFC 8290",
         {{"UseEcn"},
          {"Target", TimeText("5ms")},
          {"Interval", TimeText("100ms")},
          {"Flows", Between(1, 65536)},
          {"Perturbation", Between(0, 4294967295)}}},
        {"pie",
         "ns3::PieQueueDisc",
         "Drops or marks with a probability controlled by the queueing delay and its trend.",
         "RFC 8033",
         {{"UseEcn"},
          {"QueueDelayReference", TimeFrom("1us")},
          {"Tupdate", TimeFrom("1us")},
          {"MaxBurstAllowance", TimeFrom("0s")},
          {"MarkEcnThreshold", Between(0, 1)},
          {"UseDequeueRateEstimator"},
          {"UseCapDropAdjustment"},
          {"UseDerandomization"}}},
    };
    return all;
}

json
SchemaOf(const QueueDiscKind& kind)
{
    const bool packets = CountsPackets(kind.name);
    json properties{
        {"kind", {{"const", kind.name}}},
        {"limit",
         {{"type", "string"},
          {"x-quantity", packets ? "queue-packets" : "queue-limit"},
          {"default", "1000p"},
          {"x-minimum", packets ? json{"1p", "1mbdp"} : json{"1p", "1500B", "1mbdp"}},
          {"x-maximum", packets ? json{"1000000p", "1000bdp"} : json{"1000000p", "1GB", "1000bdp"}},
          {"description", packets ? "In packets, or in BDPs." : "In packets, IP bytes or BDPs."}}}};
    for (const auto& attribute : kind.attributes)
    {
        const auto known = SettableAttribute(TypeId::LookupByName(kind.type), attribute.name);
        properties[attribute.name] = AttributeSchema(*known);
        properties[attribute.name].merge_patch(attribute.schema);
    }
    json schema{{"type", "object"},
            {"title", kind.name},
            {"description", kind.summary},
            {"x-source", kind.source},
            {"x-ns3-type", kind.type},
            {"properties", properties},
            {"required", {"kind"}},
            {"additionalProperties", false}};
    if (kind.name == "red")
    {
        schema["x-ascending"] = {"MinTh", "MaxTh"};
    }
    return schema;
}

void
CheckQueueDisc(const QueueConfig& queue, const Fields& fields)
{
    std::string names = "drop-tail, threshold-ecn";
    bool known = false;
    for (const QueueDiscKind& kind : QueueDiscKinds())
    {
        names += ", " + kind.name;
        known = known || kind.name == queue.kind;
    }
    if (!known)
    {
        fields.Fail("kind", "'" + queue.kind + "' is not one of " + names);
    }
    if (CountsPackets(queue.kind) && queue.limit.unit != QueueLimit::Unit::Packets)
    {
        fields.Fail("limit", queue.kind + " takes a limit in packets");
    }
    const QueueDiscKind& kind = KindOf(queue.kind);
    const json schema = SchemaOf(kind);
    for (const auto& [name, value] : queue.attributes.items())
    {
        if (!schema["properties"].contains(name))
        {
            fields.Fail(name, "unknown field");
        }
        CheckValue(schema["properties"][name], value, fields.Path(name));
    }
    FactoryOf(queue, fields.Path("").substr(0, fields.Path("").size() - 1));
    if (queue.kind == "red" && queue.attributes["MinTh"] > queue.attributes["MaxTh"])
    {
        fields.Fail("MinTh", "must not be above MaxTh");
    }
}

Ptr<QueueDisc>
MakeQueueDisc(const LinkConfig& config, int64_t stream)
{
    auto disc = FactoryOf(config.queue, "queue").Create<QueueDisc>();
    if (auto red = DynamicCast<RedQueueDisc>(disc))
    {
        red->SetAttribute("LinkBandwidth", DataRateValue(config.link.rate));
        red->SetAttribute("LinkDelay", TimeValue(config.link.delay));
        red->AssignStreams(stream);
    }
    else if (auto pie = DynamicCast<PieQueueDisc>(disc))
    {
        pie->AssignStreams(stream);
    }
    else if (auto fqCodel = DynamicCast<FqCoDelQueueDisc>(disc))
    {
        fqCodel->SetQuantum(MTU);
    }
    disc->Initialize();
    return disc;
}

} // namespace windtunnel
