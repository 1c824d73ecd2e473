// SPDX-License-Identifier: GPL-2.0-only
#include "base/quantity.h"

#include "base/spec_error.h"

#include <algorithm>
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

uint32_t
BandwidthDelayProduct::Packets(uint64_t thousandths) const
{
    const auto bits = static_cast<__uint128_t>(rateBps) * static_cast<uint64_t>(rttNs) * thousandths;
    const auto packets = bits / 1'000 / 1'000'000'000 / 8 / packetBytes;
    constexpr __uint128_t LARGEST = 1'000'000;
    return std::max<uint32_t>(1, static_cast<uint32_t>(std::min(packets, LARGEST)));
}

QueueLimit
ParseQueueLimit(const std::string& text, const BandwidthDelayProduct& product)
{
    constexpr uint64_t LARGEST = std::numeric_limits<uint32_t>::max();
    if (text.ends_with("mbdp"))
    {
        return {QueueLimit::Unit::Packets, product.Packets(ParseWithUnit(text, "mbdp", LARGEST))};
    }
    if (text.ends_with('p'))
    {
        const auto packets = ParseWithUnit(text, "p", LARGEST);
        return {QueueLimit::Unit::Packets, static_cast<uint32_t>(packets)};
    }
    return {QueueLimit::Unit::Bytes, ParseBytes(text)};
}

} // namespace windtunnel
