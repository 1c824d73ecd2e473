// SPDX-License-Identifier: GPL-2.0-only
#include "congestion/catalogue.h"

#include "base/attributes.h"
#include "base/registry.h"
#include "base/spec_error.h"
#include "congestion/stock_algorithms.h"

#include "ns3/object-factory.h"

#include <algorithm>

using namespace ns3;
using nlohmann::json;

namespace windtunnel
{
namespace
{

const Algorithm&
AlgorithmNamed(const std::string& name)
{
    const auto& all = Algorithms();
    const auto found =
        std::find_if(all.begin(), all.end(), [&name](const auto& a) { return a.name == name; });
    if (found == all.end())
    {
        throw SpecError("scenario.algorithm.kind: '" + name + "' is not an algorithm of ns3");
    }
    return *found;
}

/** The attributes that @p type itself has; a socket's inherited ones are the transport's. */
std::vector<TypeId::AttributeInformation>
ReceiverAttributes(const Algorithm& algorithm)
{
    std::vector<TypeId::AttributeInformation> own;
    if (!algorithm.receiver.empty())
    {
        const TypeId type = TypeId::LookupByName(algorithm.receiver);
        for (std::size_t i = 0; i < type.GetAttributeN(); ++i)
        {
            own.push_back(type.GetAttribute(i));
        }
    }
    return own;
}

bool
IsReceivers(const Algorithm& algorithm, const std::string& attribute)
{
    const auto own = ReceiverAttributes(algorithm);
    return std::any_of(own.begin(), own.end(), [&](const auto& one) {
        return one.name == attribute;
    });
}

/** Bounds may only become tighter than the type's own. */
void
LayOver(json& schema, const json& over)
{
    const json own = schema;
    schema.merge_patch(over);
    if (own.contains("minimum") && over.contains("minimum"))
    {
        schema["minimum"] = std::max(own["minimum"], over["minimum"]);
    }
    if (own.contains("maximum") && over.contains("maximum"))
    {
        schema["maximum"] = std::min(own["maximum"], over["maximum"]);
    }
}

} // namespace

AlgorithmRegistration::AlgorithmRegistration(Algorithm algorithm)
{
    Registry<Algorithm>::Add(std::move(algorithm));
}

const std::vector<Algorithm>&
Algorithms()
{
    static const std::vector<Algorithm> all = [] {
        std::vector<Algorithm> both = StockAlgorithms();
        const auto& ours = Registry<Algorithm>::All();
        both.insert(both.end(), ours.begin(), ours.end());
        return both;
    }();
    return all;
}

json
SchemaOf(const Algorithm& algorithm)
{
    json properties{{"kind", {{"const", algorithm.name}}}};
    auto attributes = SettableAttributes(TypeId::LookupByName(algorithm.type));
    const auto receivers = ReceiverAttributes(algorithm);
    attributes.insert(attributes.end(), receivers.begin(), receivers.end());
    for (const TypeId::AttributeInformation& attribute : attributes)
    {
        if (attribute.name != RANDOM_STREAM)
        {
            properties[attribute.name] = AttributeSchema(attribute);
        }
    }
    for (const auto& [name, schema] : algorithm.attributes)
    {
        if (schema.is_null())
        {
            properties.erase(name);
            continue;
        }
        LayOver(properties.at(name), schema);
    }
    json schema{{"type", "object"},
                {"title", algorithm.name},
                {"description", algorithm.summary},
                {"x-category", algorithm.category},
                {"x-formula", algorithm.formula},
                {"x-source", algorithm.source},
                {"x-ns3-type", algorithm.receiver.empty() ? algorithm.type : algorithm.receiver},
                {"properties", properties},
                {"required", {"kind"}},
                {"additionalProperties", false}};
    if (!algorithm.constraints.empty())
    {
        schema["x-constraints"] = algorithm.constraints;
    }
    if (!algorithm.lints.empty())
    {
        schema["x-lints"] = algorithm.lints;
    }
    return schema;
}

void
CheckAlgorithm(const AlgorithmSpec& spec, const std::string& path)
{
    const json schema = SchemaOf(AlgorithmNamed(spec.kind));
    for (const auto& [name, value] : spec.attributes.items())
    {
        if (!schema["properties"].contains(name))
        {
            throw SpecError(path + "." + name + ": '" + spec.kind + "' has no such parameter");
        }
        CheckValue(schema["properties"][name], value, path + "." + name);
    }
}

Ptr<TcpCongestionOps>
MakeCongestionControl(const AlgorithmSpec& spec)
{
    const Algorithm& algorithm = AlgorithmNamed(spec.kind);
    ObjectFactory factory(algorithm.type);
    for (const auto& [name, value] : spec.attributes.items())
    {
        if (!IsReceivers(algorithm, name))
        {
            const TypeId type = TypeId::LookupByName(algorithm.type);
            SetAttribute(factory, type, name, value, "scenario.algorithm");
        }
    }
    return factory.Create<TcpCongestionOps>();
}

Ptr<TcpSocketBase>
MakeReceiver(const AlgorithmSpec& spec)
{
    const Algorithm& algorithm = AlgorithmNamed(spec.kind);
    if (algorithm.receiver.empty())
    {
        return CreateObject<TcpSocketBase>();
    }
    ObjectFactory factory(algorithm.receiver);
    for (const auto& [name, value] : spec.attributes.items())
    {
        if (IsReceivers(algorithm, name))
        {
            const TypeId type = TypeId::LookupByName(algorithm.receiver);
            SetAttribute(factory, type, name, value, "scenario.algorithm");
        }
    }
    return factory.Create<TcpSocketBase>();
}

} // namespace windtunnel
