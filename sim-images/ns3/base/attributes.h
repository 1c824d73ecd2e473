// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "ns3/object-base.h"
#include "ns3/object-factory.h"
#include "ns3/type-id.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace windtunnel
{

/** The attributes of @p type and its ancestors that hold a plain value and can be set. */
std::vector<ns3::TypeId::AttributeInformation> SettableAttributes(ns3::TypeId type);

/** JSON Schema of one attribute: type, bounds, default and help, from ns-3's own checker. */
nlohmann::json AttributeSchema(const ns3::TypeId::AttributeInformation& attribute);

/** The one of these called @p name. */
std::optional<ns3::TypeId::AttributeInformation> SettableAttribute(ns3::TypeId type,
                                                                   const std::string& name);

/** Whether @p value is what an attribute's schema (with what is laid over it) asks for: its type,
 *  one of its names, its bounds. ns-3 itself aborts on a text that it can't parse.
 *  @throws SpecError that begins with @p path. */
void CheckValue(const nlohmann::json& schema, const nlohmann::json& value, const std::string& path);

/** Set @p name on what @p factory makes.
 *  @param path of the object in the spec, for the error
 *  @throws SpecError if the type has no such attribute or its checker refuses the value. */
void SetAttribute(ns3::ObjectFactory& factory,
                  ns3::TypeId type,
                  const std::string& name,
                  const nlohmann::json& value,
                  const std::string& path);

/** Every plain attribute of a live object with its value as ns-3 prints it. */
nlohmann::json EffectiveAttributes(const ns3::ObjectBase& object);

} // namespace windtunnel
