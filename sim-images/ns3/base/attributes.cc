// SPDX-License-Identifier: GPL-2.0-only
#include "base/attributes.h"

#include "base/quantity.h"
#include "base/spec_error.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/enum.h"
#include "ns3/integer.h"
#include "ns3/nstime.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

using namespace ns3;
using nlohmann::json;

namespace windtunnel
{
namespace
{

std::string
ValueType(const TypeId::AttributeInformation& attribute)
{
    return attribute.checker->GetValueTypeName();
}

bool
IsPlain(const TypeId::AttributeInformation& attribute)
{
    static const std::set<std::string> plain{"ns3::BooleanValue",
                                             "ns3::UintegerValue",
                                             "ns3::IntegerValue",
                                             "ns3::DoubleValue",
                                             "ns3::TimeValue",
                                             "ns3::EnumValue",
                                             "ns3::StringValue"};
    return plain.contains(ValueType(attribute)) ||
           ValueType(attribute).starts_with("ns3::EnumValue");
}

std::string
DefaultOf(const TypeId::AttributeInformation& attribute)
{
    return attribute.initialValue->SerializeToString(attribute.checker);
}

/** ns-3 describes a number's range as `uint32_t 0:4294967295`. */
void
AddBounds(json& schema, const TypeId::AttributeInformation& attribute)
{
    const std::string info = attribute.checker->GetUnderlyingTypeInformation();
    const auto space = info.find(' ');
    const auto colon = info.find(':', space);
    if (space == std::string::npos || colon == std::string::npos)
    {
        return;
    }
    auto bound = [](const std::string& text) -> json {
        const double value = std::strtod(text.c_str(), nullptr);
        if (std::abs(value) > 1e300)
        {
            return nullptr; // no bound but the type's own
        }
        return value == std::floor(value) && std::abs(value) < 9e15
                   ? json(static_cast<int64_t>(value))
                   : json(value);
    };
    const json min = bound(info.substr(space + 1, colon - space - 1));
    const json max = bound(info.substr(colon + 1));
    if (!min.is_null())
    {
        schema["minimum"] = min;
    }
    if (!max.is_null())
    {
        schema["maximum"] = max;
    }
}

json
EnumNames(const TypeId::AttributeInformation& attribute)
{
    json names = json::array();
    std::stringstream list(attribute.checker->GetUnderlyingTypeInformation());
    for (std::string name; std::getline(list, name, '|');)
    {
        names.push_back(name);
    }
    return names;
}

/** A spec's value in the text form that ns-3 reads. */
std::string
ToNs3(const TypeId::AttributeInformation& attribute, const json& value)
{
    if (ValueType(attribute) == "ns3::TimeValue")
    {
        return std::to_string(ParseTime(value.get<std::string>())) + "ns";
    }
    if (value.is_boolean())
    {
        return value.get<bool>() ? "true" : "false";
    }
    return value.is_string() ? value.get<std::string>() : value.dump();
}

} // namespace

std::vector<TypeId::AttributeInformation>
SettableAttributes(TypeId type)
{
    std::vector<TypeId::AttributeInformation> attributes;
    for (TypeId tid = type; tid.GetName() != "ns3::Object"; tid = tid.GetParent())
    {
        for (std::size_t i = 0; i < tid.GetAttributeN(); ++i)
        {
            const auto attribute = tid.GetAttribute(i);
            if ((attribute.flags & TypeId::ATTR_CONSTRUCT) && IsPlain(attribute) &&
                attribute.supportLevel == TypeId::SupportLevel::SUPPORTED)
            {
                attributes.push_back(attribute);
            }
        }
    }
    return attributes;
}

json
AttributeSchema(const TypeId::AttributeInformation& attribute)
{
    json schema{{"description", attribute.help}};
    const std::string type = ValueType(attribute);
    const std::string initial = DefaultOf(attribute);
    if (type == "ns3::BooleanValue")
    {
        schema["type"] = "boolean";
        schema["default"] = initial == "true";
    }
    else if (type == "ns3::UintegerValue" || type == "ns3::IntegerValue")
    {
        schema["type"] = "integer";
        schema["default"] = std::stoll(initial);
        AddBounds(schema, attribute);
    }
    else if (type == "ns3::DoubleValue")
    {
        schema["type"] = "number";
        schema["default"] = std::stod(initial);
        AddBounds(schema, attribute);
    }
    else if (type == "ns3::TimeValue")
    {
        schema["type"] = "string";
        schema["x-quantity"] = "time";
        // Some initial values are texts.
        const auto value = DynamicCast<const TimeValue>(
            attribute.checker->CreateValidValue(*attribute.initialValue));
        schema["default"] = std::to_string(value->Get().GetNanoSeconds()) + "ns";
    }
    else if (type.starts_with("ns3::EnumValue"))
    {
        schema["enum"] = EnumNames(attribute);
        schema["default"] = initial;
    }
    else
    {
        schema["type"] = "string";
        schema["default"] = initial;
    }
    return schema;
}

std::optional<TypeId::AttributeInformation>
SettableAttribute(TypeId type, const std::string& name)
{
    for (const auto& attribute : SettableAttributes(type))
    {
        if (attribute.name == name)
        {
            return attribute;
        }
    }
    return std::nullopt;
}

namespace
{

bool
HasType(const json& schema, const json& value)
{
    const std::string type = schema.value("type", "");
    return type == "boolean"   ? value.is_boolean()
           : type == "integer" ? value.is_number_integer()
           : type == "number"  ? value.is_number()
                               : value.is_string();
}

} // namespace

void
CheckValue(const json& schema, const json& value, const std::string& path)
{
    auto refuse = [&](const std::string& why) {
        throw SpecError(path + ": " + value.dump() + " " + why);
    };
    if (!HasType(schema, value))
    {
        refuse("has the wrong type");
    }
    if (schema.contains("enum") &&
        std::find(schema["enum"].begin(), schema["enum"].end(), value) == schema["enum"].end())
    {
        refuse("is not one of " + schema["enum"].dump());
    }
    if (schema.contains("x-quantity"))
    {
        try
        {
            ParseTime(value.get<std::string>());
        }
        catch (const SpecError& error)
        {
            throw SpecError(path + ": " + error.what());
        }
    }
    if (value.is_number() && ((schema.contains("minimum") && value < schema["minimum"]) ||
                              (schema.contains("maximum") && value > schema["maximum"])))
    {
        refuse("is out of range");
    }
}

void
SetAttribute(ObjectFactory& factory,
             TypeId type,
             const std::string& name,
             const json& value,
             const std::string& path)
{
    const auto attribute = SettableAttribute(type, name);
    if (!attribute)
    {
        throw SpecError(path + "." + name + ": " + type.GetName() + " has no such attribute");
    }
    const StringValue text(ToNs3(*attribute, value));
    if (!attribute->checker->CreateValidValue(text))
    {
        throw SpecError(path + "." + name + ": " + value.dump() +
                        " is not what ns-3 takes here (" +
                        attribute->checker->GetUnderlyingTypeInformation() + ")");
    }
    factory.Set(name, text);
}

json
EffectiveAttributes(const ObjectBase& object)
{
    json effective = json::object();
    for (TypeId tid = object.GetInstanceTypeId(); tid.HasParent(); tid = tid.GetParent())
    {
        for (std::size_t i = 0; i < tid.GetAttributeN(); ++i)
        {
            const auto attribute = tid.GetAttribute(i);
            StringValue value;
            if ((attribute.flags & TypeId::ATTR_GET) && attribute.accessor->HasGetter() &&
                IsPlain(attribute) && object.GetAttributeFailSafe(attribute.name, value))
            {
                effective[attribute.name] = value.Get();
            }
        }
    }
    return effective;
}

} // namespace windtunnel
