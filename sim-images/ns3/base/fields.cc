// SPDX-License-Identifier: GPL-2.0-only
#include "base/fields.h"

#include <sstream>

using nlohmann::json;

namespace windtunnel
{

Fields::Fields(const json& object, std::string path)
    : m_object(&object),
      m_path(std::move(path))
{
    if (!object.is_object())
    {
        throw SpecError(m_path + ": an object is expected");
    }
}

Fields
Fields::Object(const std::string& name)
{
    return {At(name), Path(name)};
}

std::vector<Fields>
Fields::Objects(const std::string& name)
{
    const json& list = At(name);
    if (!list.is_array())
    {
        Fail(name, "a list is expected");
    }
    std::vector<Fields> objects;
    for (size_t i = 0; i < list.size(); ++i)
    {
        objects.emplace_back(list[i], Path(name) + "[" + std::to_string(i) + "]");
    }
    return objects;
}

uint32_t
Fields::Count(const std::string& name, uint32_t min, uint32_t max)
{
    return Guarded<uint32_t>(name, [=](const json& value) {
        if (!value.is_number_integer() || value < min || value > max)
        {
            throw SpecError("a whole number from " + std::to_string(min) + " to " +
                            std::to_string(max) + " is expected");
        }
        return value.get<uint32_t>();
    });
}

double
Fields::Number(const std::string& name, double min, double max)
{
    return Guarded<double>(name, [=](const json& value) {
        if (!value.is_number() || value < min || value > max)
        {
            std::ostringstream range;
            range << "a number from " << min << " to " << max << " is expected";
            throw SpecError(range.str());
        }
        return value.get<double>();
    });
}

const json&
Fields::At(const std::string& name)
{
    m_read.insert(name);
    const auto found = m_object->find(name);
    if (found == m_object->end())
    {
        Fail(name,
               "missing; a run spec names every field (windtunnel simulate fills in the defaults)");
    }
    return *found;
}

json
Fields::TakeRemaining()
{
    json rest = json::object();
    for (const auto& [name, value] : m_object->items())
    {
        if (m_read.insert(name).second)
        {
            rest[name] = value;
        }
    }
    return rest;
}

void
Fields::ExpectNoUnknownFields() const
{
    for (const auto& [name, value] : m_object->items())
    {
        if (!m_read.contains(name))
        {
            Fail(name, "unknown field");
        }
    }
}

void
Fields::Fail(const std::string& name, const std::string& message) const
{
    throw SpecError(Path(name) + ": " + message);
}

std::string
Fields::Path(const std::string& name) const
{
    return m_path.empty() ? name : m_path + "." + name;
}

} // namespace windtunnel
