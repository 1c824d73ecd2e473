// SPDX-License-Identifier: GPL-2.0-only
#include "congestion/catalogue.h"

#include "congestion/attributes.h"
#include "spec/quantity.h"
#include "spec/spec_error.h"

#include "ns3/object-factory.h"

#include <algorithm>

using namespace ns3;
using nlohmann::json;

namespace windtunnel
{

const std::vector<Algorithm>&
Algorithms()
{
    static const std::vector<Algorithm> all{
        {"newreno",
         "ns3::TcpNewReno",
         "loss-based",
         "Additive increase by one segment a round trip, halving on loss.",
         "RFC 6582, RFC 5681",
         {}},
        {"vegas",
         "ns3::TcpVegas",
         "delay-based",
         "Keeps between Alpha and Beta packets queued, estimated from the round-trip time.",
         "Brakmo, O'Malley and Peterson, SIGCOMM 1994",
         {{"Alpha", "packets"}, {"Beta", "packets"}, {"Gamma", "packets"}}},
        {"highspeed",
         "ns3::TcpHighSpeed",
         "loss-based",
         "Increase and decrease factors are functions of the window.",
         "RFC 3649",
         {}},
        {"scalable",
         "ns3::TcpScalable",
         "loss-based",
         "Multiplicative increase: a fixed fraction of a segment an ACK.",
         "Kelly, CCR 33(2), 2003",
         {{"AIFactor", "ACKs per segment"}, {"MDFactor", "fraction of the window"}}},
        {"westwood-plus",
         "ns3::TcpWestwoodPlus",
         "loss-based",
         "Sets ssthresh from a bandwidth estimate made once a round trip.",
         "Mascolo, Grieco, Ferorelli, Camarda and Piscitelli, Performance Evaluation 55, 2004",
         {}},
        {"bic",
         "ns3::TcpBic",
         "loss-based",
         "Binary search for the window at which loss last occurred.",
         "Xu, Harfoush and Rhee, INFOCOM 2004",
         {}},
        {"cubic",
         "ns3::TcpCubic",
         "loss-based",
         "The window is a cubic function of the time since the last loss.",
         "RFC 9438",
         {}},
        {"yeah",
         "ns3::TcpYeah",
         "hybrid",
         "Scalable growth while few packets are queued, Reno's otherwise, with decongestion.",
         "Baiocchi, Castellani and Vacirca, PFLDnet 2007",
         {{"Alpha", "packets"}}},
    };
    return all;
}

json
SchemaOf(const Algorithm& algorithm)
{
    json properties{{"kind", {{"const", algorithm.name}}}};
    for (const TypeId::AttributeInformation& attribute :
         SettableAttributes(TypeId::LookupByName(algorithm.type)))
    {
        json schema = AttributeSchema(attribute);
        for (const auto& [name, unit] : algorithm.units)
        {
            if (name == attribute.name)
            {
                schema["x-unit"] = unit;
            }
        }
        properties[attribute.name] = schema;
    }
    return {{"type", "object"},
            {"title", algorithm.name},
            {"description", algorithm.summary},
            {"x-category", algorithm.category},
            {"x-source", algorithm.source},
            {"x-ns3-type", algorithm.type},
            {"properties", properties},
            {"required", {"kind"}},
            {"additionalProperties", false}};
}

Ptr<TcpCongestionOps>
MakeCongestionControl(const AlgorithmSpec& spec)
{
    const auto& all = Algorithms();
    const auto found =
        std::find_if(all.begin(), all.end(), [&spec](const auto& a) { return a.name == spec.kind; });
    if (found == all.end())
    {
        throw SpecError("scenario.algorithm.kind: '" + spec.kind + "' is not an algorithm of ns3");
    }
    ObjectFactory factory(found->type);
    for (const auto& [name, value] : spec.attributes.items())
    {
        SetAttribute(factory, TypeId::LookupByName(found->type), name, value);
    }
    return factory.Create<TcpCongestionOps>();
}

} // namespace windtunnel
