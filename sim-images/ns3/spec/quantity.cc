// SPDX-License-Identifier: GPL-2.0-only
#include "spec/quantity.h"

#include "spec/spec_error.h"

#include <charconv>
#include <limits>
#include <string_view>

namespace windtunnel
{
namespace
{

uint64_t
ParseWithUnit(const std::string& text, std::string_view unit, uint64_t max)
{
    uint64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || std::string_view(rest, end - rest) != unit || value > max)
    {
        throw SpecError("'" + text + "' is not a whole number of " + std::string(unit) + " up to " +
                        std::to_string(max));
    }
    return value;
}

} // namespace

uint64_t
ParseRate(const std::string& text)
{
    return ParseWithUnit(text, "bps", std::numeric_limits<int64_t>::max());
}

int64_t
ParseTime(const std::string& text)
{
    return static_cast<int64_t>(
        ParseWithUnit(text, "ns", std::numeric_limits<int64_t>::max()));
}

uint32_t
ParseBytes(const std::string& text)
{
    return static_cast<uint32_t>(ParseWithUnit(text, "B", std::numeric_limits<uint32_t>::max()));
}

QueueLimit
ParseQueueLimit(const std::string& text)
{
    if (text.ends_with('p'))
    {
        const auto packets = ParseWithUnit(text, "p", std::numeric_limits<uint32_t>::max());
        return {QueueLimit::Unit::Packets, static_cast<uint32_t>(packets)};
    }
    return {QueueLimit::Unit::Bytes, ParseBytes(text)};
}

} // namespace windtunnel
