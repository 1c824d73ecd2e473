// SPDX-License-Identifier: GPL-2.0-only
#include "spec/run_spec.h"

#include "spec/quantity.h"
#include "spec/spec_error.h"

#include <functional>
#include <set>

using nlohmann::json;

namespace windtunnel
{
namespace
{

/** An object of the document that knows its own path, and which of its fields have been read. */
class Fields
{
  public:
    Fields(const json& object, std::string path)
        : m_object(object),
          m_path(std::move(path))
    {
        if (!object.is_object())
        {
            throw SpecError(m_path + ": an object is expected");
        }
    }

    Fields Object(const std::string& name)
    {
        return {At(name), Path(name)};
    }

    template <typename Parsed>
    Parsed Read(const std::string& name, Parsed (*parse)(const std::string&))
    {
        return Guarded<Parsed>(name, [parse](const json& value) {
            return parse(value.get<std::string>());
        });
    }

    template <typename Value>
    Value Plain(const std::string& name)
    {
        return Guarded<Value>(name, [](const json& value) { return value.get<Value>(); });
    }

    uint32_t Count(const std::string& name, uint32_t min, uint32_t max)
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

    template <typename Choice>
    Choice OneOf(const std::string& name, const std::vector<std::pair<std::string, Choice>>& known)
    {
        return Guarded<Choice>(name, [&known](const json& value) {
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

    const json& At(const std::string& name)
    {
        m_read.insert(name);
        const auto found = m_object.find(name);
        if (found == m_object.end())
        {
            throw SpecError(Path(name) + ": missing; a run spec names every field "
                                         "(windtunnel simulate fills in the defaults)");
        }
        return *found;
    }

    /** To be called when all is read: what is left over was a misspelling. */
    void NothingElse() const
    {
        for (const auto& [name, value] : m_object.items())
        {
            if (!m_read.contains(name))
            {
                throw SpecError(Path(name) + ": unknown field");
            }
        }
    }

    std::string Path(const std::string& name) const
    {
        return m_path.empty() ? name : m_path + "." + name;
    }

  private:
    template <typename Value>
    Value Guarded(const std::string& name, const std::function<Value(const json&)>& read)
    {
        const json& value = At(name);
        try
        {
            return read(value);
        }
        catch (const json::exception&)
        {
            throw SpecError(Path(name) + ": " + value.dump() + " has the wrong type");
        }
        catch (const SpecError& error)
        {
            throw SpecError(Path(name) + ": " + error.what());
        }
    }

    const json& m_object;
    std::string m_path;
    std::set<std::string> m_read;
};

FatTreeSpec
ReadTopology(Fields fields)
{
    FatTreeSpec spec{};
    fields.OneOf<int>("kind", {{"fat-tree", 0}});
    spec.k = fields.Count("k", 2, 16);
    if (spec.k % 2 != 0)
    {
        throw SpecError(fields.Path("k") + ": a fat-tree needs an even k");
    }
    spec.rack = fields.OneOf<FatTreeSpec::Rack>("rack",
                                                {{"point-to-point", FatTreeSpec::Rack::PointToPoint},
                                                 {"shared-lan", FatTreeSpec::Rack::SharedLan}});
    spec.routing =
        fields.OneOf<FatTreeSpec::Routing>("routing",
                                           {{"single-path", FatTreeSpec::Routing::SinglePath},
                                            {"ecmp-flow", FatTreeSpec::Routing::EcmpFlow}});
    Fields link = fields.Object("link");
    spec.link.rate = ns3::DataRate(link.Read("rate", ParseRate));
    spec.link.delay = ns3::NanoSeconds(link.Read("delay", ParseTime));
    link.NothingElse();
    Fields queue = fields.Object("queue");
    queue.OneOf<int>("kind", {{"drop-tail", 0}});
    spec.link.queue = queue.Read("limit", ParseQueueLimit);
    queue.NothingElse();
    fields.NothingElse();
    return spec;
}

RandomPairsSpec
ReadWorkload(Fields fields, uint32_t hosts)
{
    RandomPairsSpec spec{};
    fields.OneOf<int>("kind", {{"random-pairs", 0}});
    spec.flows = fields.Count("flows", 1, 60'000);
    spec.rateBps = fields.Read("rate", ParseRate);
    spec.onMeanNs = fields.Read("on", ParseTime);
    spec.offMeanNs = fields.Read("off", ParseTime);
    if (!fields.At("pairs").is_null())
    {
        spec.pairs = fields.Plain<std::vector<std::pair<uint32_t, uint32_t>>>("pairs");
        if (spec.pairs->size() != spec.flows)
        {
            throw SpecError(fields.Path("pairs") + ": as many pairs as flows are expected");
        }
        for (const auto& [sender, receiver] : *spec.pairs)
        {
            if (sender >= hosts || receiver >= hosts || sender == receiver)
            {
                throw SpecError(fields.Path("pairs") + ": two different hosts from 0 to " +
                                std::to_string(hosts - 1) + " are expected");
            }
        }
    }
    fields.NothingElse();
    return spec;
}

TransportSpec
ReadTransport(Fields fields)
{
    TransportSpec spec{};
    spec.segmentBytes = fields.Read("segment", ParseBytes);
    spec.initialCwndSegments = fields.Count("initial_cwnd", 1, 10'000);
    spec.initialSsthreshBytes = fields.Read("initial_ssthresh", ParseBytes);
    spec.sack = fields.Plain<bool>("sack");
    spec.timestamps = fields.Plain<bool>("timestamps");
    spec.windowScaling = fields.Plain<bool>("window_scaling");
    spec.delayedAckCount = fields.Count("delayed_ack_count", 1, 100);
    spec.delayedAckTimeoutNs = fields.Read("delayed_ack_timeout", ParseTime);
    spec.minRtoNs = fields.Read("min_rto", ParseTime);
    spec.recovery =
        fields.OneOf<std::string>("recovery", {{"prr", "prr"}, {"classic", "classic"}});
    spec.sendBufferBytes = fields.Read("send_buffer", ParseBytes);
    spec.receiveBufferBytes = fields.Read("receive_buffer", ParseBytes);
    const uint32_t headers = 40 + (spec.timestamps ? 12 : 0);
    if (spec.segmentBytes == 0 || spec.segmentBytes + headers > Link::MTU)
    {
        throw SpecError(fields.Path("segment") + ": with " + std::to_string(headers) +
                        " bytes of headers it must fit 1500 bytes, or it would fragment");
    }
    fields.NothingElse();
    return spec;
}

std::vector<SeriesSpec>
ReadSeries(Fields& scenario)
{
    std::vector<SeriesSpec> series;
    const json& list = scenario.At("series");
    for (size_t i = 0; i < list.size(); ++i)
    {
        Fields fields(list[i], scenario.Path("series") + "[" + std::to_string(i) + "]");
        SeriesSpec one;
        one.probe = fields.OneOf<std::string>("probe", {{"queue_length", "queue_length"}});
        one.at = fields.Plain<std::string>("at");
        one.stepNs = fields.Read("step", ParseTime);
        if (one.stepNs <= 0)
        {
            throw SpecError(fields.Path("step") + ": must be above zero");
        }
        fields.NothingElse();
        series.push_back(one);
    }
    return series;
}

} // namespace

RunSpec
RunSpec::FromJson(const json& document)
{
    Fields root(document, "");
    root.At("simulator"); // which program this is for; its digest is the worker's to compare
    RunSpec spec{};
    spec.seedIndex = root.Count("seed_index", 1, 1'000'000'000);
    Fields scenario = root.Object("scenario");
    spec.topology = ReadTopology(scenario.Object("topology"));
    const uint32_t hosts = spec.topology.k * spec.topology.k * spec.topology.k / 4;
    spec.workload = ReadWorkload(scenario.Object("workload"), hosts);
    spec.transport = ReadTransport(scenario.Object("transport"));
    Fields algorithm = scenario.Object("algorithm");
    spec.algorithm.kind = algorithm.Plain<std::string>("kind");
    spec.algorithm.attributes = scenario.At("algorithm");
    spec.algorithm.attributes.erase("kind");
    spec.durationNs = scenario.Read("duration", ParseTime);
    spec.warmupNs = scenario.Read("warmup", ParseTime);
    if (spec.warmupNs >= spec.durationNs)
    {
        throw SpecError("scenario.warmup: must end before the duration does");
    }
    spec.series = ReadSeries(scenario);
    scenario.NothingElse();
    root.NothingElse();
    return spec;
}

} // namespace windtunnel
