// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "base/spec_error.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace windtunnel
{

/** An object of a run spec that knows its own path, and which of its fields have been read. */
class Fields
{
  public:
    Fields(const nlohmann::json& object, std::string path);

    Fields Object(const std::string& name);

    /** The elements of a list of objects. */
    std::vector<Fields> Objects(const std::string& name);

    bool IsNull(const std::string& name)
    {
        return At(name).is_null();
    }

    /** The field's text through @p parse, whose SpecError gets the field's path. */
    template <typename Parse>
    auto Read(const std::string& name, Parse parse)
    {
        using Parsed = std::invoke_result_t<Parse, const std::string&>;
        return Guarded<Parsed>(name, [parse](const nlohmann::json& value) {
            return parse(value.get<std::string>());
        });
    }

    template <typename Value>
    Value Plain(const std::string& name)
    {
        return Guarded<Value>(name,
                              [](const nlohmann::json& value) { return value.get<Value>(); });
    }

    uint32_t Count(const std::string& name, uint32_t min, uint32_t max);
    double Number(const std::string& name, double min, double max);

    template <typename Choice>
    Choice OneOf(const std::string& name, const std::vector<std::pair<std::string, Choice>>& known)
    {
        return Guarded<Choice>(name, [&known](const nlohmann::json& value) {
            std::string names;
            for (const auto& [label, choice] : known)
            {
                if (value == label)
                {
                    return choice;
                }
                names += (names.empty() ? "" : ", ") + label;
            }
            throw SpecError(value.dump() + " is not one of " + names);
        });
    }

    /** The entry of @p known that the field `kind` names. */
    template <typename Kind>
    const Kind& KindOf(const std::vector<Kind>& known)
    {
        std::vector<std::pair<std::string, const Kind*>> names;
        for (const Kind& kind : known)
        {
            names.emplace_back(kind.name, &kind);
        }
        return *OneOf<const Kind*>("kind", names);
    }

    const nlohmann::json& At(const std::string& name);

    /** Every field but those read so far, which are then read: a kind's own attributes. */
    nlohmann::json TakeRemaining();

    /** To be called when all is read: what is left over was a misspelling. */
    void ExpectNoUnknownFields() const;

    /** @throws SpecError that blames the field @p name. */
    [[noreturn]] void Fail(const std::string& name, const std::string& message) const;

    std::string Path(const std::string& name) const;

  private:
    template <typename Value>
    Value Guarded(const std::string& name,
                  const std::function<Value(const nlohmann::json&)>& read)
    {
        const nlohmann::json& value = At(name);
        try
        {
            return read(value);
        }
        catch (const nlohmann::json::exception&)
        {
            throw SpecError(Path(name) + ": " + value.dump() + " has the wrong type");
        }
        catch (const SpecError& error)
        {
            throw SpecError(Path(name) + ": " + error.what());
        }
    }

    const nlohmann::json* m_object;
    std::string m_path;
    std::set<std::string> m_read;
};

} // namespace windtunnel
