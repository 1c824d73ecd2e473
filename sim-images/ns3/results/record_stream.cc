// SPDX-License-Identifier: GPL-2.0-only
#include "results/record_stream.h"

#include "results/metrics.h"

#include <charconv>

namespace windtunnel
{
namespace
{

constexpr size_t VALUES_PER_CHUNK = 4096;

/** Shortest text that reads back as the same float32. */
void
AppendFloat(std::string& text, float value)
{
    std::array<char, 32> digits{};
    const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    text.append(digits.data(), end);
}

} // namespace

void
RecordStream::WriteDigested(const std::string& deterministic, const Record* metadata)
{
    // The object is still open: `deterministic` has no closing brace.
    const std::string closed = metadata ? deterministic : deterministic + "}";
    const Sha256::Digest digest = Sha256::Of(closed);
    m_stream.Update({reinterpret_cast<const char*>(digest.data()), digest.size()});
    m_out << closed;
    if (metadata)
    {
        m_out << ",\"metadata\":" << metadata->dump() << "}";
    }
    m_out << '\n';
}

void
RecordStream::Started(const Record& configuration, const std::string& schedule, const Record& metadata)
{
    const Record record{{"type", "started"},
                        {"schedule", schedule},
                        {"configuration", configuration}};
    std::string text = record.dump();
    text.pop_back();
    WriteDigested(text, &metadata);
    m_out.flush();
}

void
RecordStream::Progress(int64_t simulatedNs, int64_t durationNs, uint64_t events)
{
    m_out << Record{{"type", "progress"},
                    {"simulated_ns", simulatedNs},
                    {"duration_ns", durationNs},
                    {"events", events}}
                 .dump()
          << '\n';
    m_out.flush();
}

void
RecordStream::Metric(std::string_view name, double value)
{
    std::string text = Record{{"type", "metric"},
                              {"name", name},
                              {"unit", MetricNamed(name).unit},
                              {"value", value}}
                           .dump();
    text.pop_back();
    WriteDigested(text, nullptr);
}

void
RecordStream::Series(std::string_view name,
                     std::string_view unit,
                     int64_t firstNs,
                     int64_t stepNs,
                     const std::vector<float>& values)
{
    for (size_t begin = 0; begin < values.size(); begin += VALUES_PER_CHUNK)
    {
        const size_t end = std::min(values.size(), begin + VALUES_PER_CHUNK);
        std::string text =
            Record{{"type", "series"},
                   {"name", name},
                   {"unit", unit},
                   {"first_ns", firstNs + static_cast<int64_t>(begin) * stepNs},
                   {"step_ns", stepNs}}
                .dump();
        text.back() = ',';
        text += "\"values\":[";
        for (size_t i = begin; i < end; ++i)
        {
            if (i > begin)
            {
                text += ',';
            }
            AppendFloat(text, values[i]);
        }
        text += ']';
        WriteDigested(text, nullptr);
    }
}

void
RecordStream::PacketDelay(const Record& fields)
{
    Fields("packet_delay", fields);
}

void
RecordStream::Flow(const Record& fields)
{
    Fields("flow", fields);
}

void
RecordStream::Port(const Record& fields)
{
    Fields("port", fields);
}

void
RecordStream::Fields(std::string_view type, const Record& fields)
{
    Record record{{"type", type}};
    record.update(fields);
    std::string text = record.dump();
    text.pop_back();
    WriteDigested(text, nullptr);
}

void
RecordStream::Check(std::string_view name, bool held, const std::string& detail)
{
    m_allHeld = m_allHeld && held;
    std::string text =
        Record{{"type", "check"}, {"name", name}, {"held", held}, {"detail", detail}}.dump();
    text.pop_back();
    WriteDigested(text, nullptr);
}

void
RecordStream::Finished(uint64_t events, const Record& metadata)
{
    m_out << Record{{"type", "finished"},
                    {"events", events},
                    {"digest", m_stream.HexDigest()},
                    {"metadata", metadata}}
                 .dump()
          << '\n';
    m_out.flush();
}

} // namespace windtunnel
