// SPDX-License-Identifier: GPL-2.0-only
#include "describe/describe.h"

#include "base/sha256.h"
#include "congestion/catalogue.h"
#include "describe/embedded.h"
#include "fabric/queue_discs.h"
#include "results/metrics.h"
#include "topologies/topology.h"
#include "workloads/workload.h"

#include <link.h>

#include <filesystem>
#include <fstream>
#include <map>

using nlohmann::ordered_json;

namespace windtunnel
{
namespace
{

std::string
FileDigest(const std::filesystem::path& path)
{
    std::ifstream file(path, std::ios::binary);
    std::string block(1 << 20, '\0');
    Sha256 hash;
    while (file.read(block.data(), block.size()) || file.gcount() > 0)
    {
        hash.Update({block.data(), static_cast<size_t>(file.gcount())});
    }
    return hash.HexDigest();
}

/** Name to path of everything that the loader has mapped. */
std::map<std::string, std::filesystem::path>
LoadedObjects()
{
    std::map<std::string, std::filesystem::path> objects;
    dl_iterate_phdr(
        [](dl_phdr_info* info, size_t, void* data) {
            auto& found = *static_cast<std::map<std::string, std::filesystem::path>*>(data);
            const std::filesystem::path path = info->dlpi_name;
            if (path.empty())
            {
                found["executable"] = "/proc/self/exe";
            }
            else if (std::filesystem::exists(path)) // the kernel's vdso has no file
            {
                found[path.filename()] = path;
            }
            return 0;
        },
        &objects);
    return objects;
}

template <typename Kind>
void
Append(ordered_json& choices, const std::vector<Kind>& kinds)
{
    for (const Kind& kind : kinds)
    {
        if constexpr (requires { SchemaOf(kind); })
        {
            choices.push_back(ordered_json(SchemaOf(kind)));
        }
        else
        {
            choices.push_back(ordered_json::parse(kind.schema));
        }
    }
}

/** What the schema's `"x-insert": NAME` stands for. */
ordered_json
Choices(const std::string& name)
{
    ordered_json choices = ordered_json::array();
    if (name == "algorithms")
    {
        Append(choices, Algorithms());
    }
    else if (name == "topologies")
    {
        Append(choices, TopologyKinds());
    }
    else if (name == "workloads")
    {
        Append(choices, WorkloadKinds());
    }
    else
    {
        choices = ordered_json::parse(RING_QUEUES);
        Append(choices, QueueDiscKinds());
    }
    return choices;
}

/** Put `oneOf` with all choices in the place of every `x-insert`. */
void
InsertChoices(ordered_json& schema)
{
    if (!schema.is_structured())
    {
        return;
    }
    if (schema.is_object() && schema.contains("x-insert"))
    {
        schema["oneOf"] = Choices(schema["x-insert"]);
        schema.erase("x-insert");
    }
    for (auto& member : schema)
    {
        InsertChoices(member);
    }
}

ordered_json
DescribeMetrics()
{
    ordered_json metrics = ordered_json::array();
    for (const Metric& metric : Metrics())
    {
        ordered_json record{{"name", metric.name},
                            {"unit", metric.unit},
                            {"direction", metric.direction},
                            {"title", metric.title},
                            {"group", metric.group},
                            {"definition", metric.definition}};
        for (const auto& [field, text] : {std::pair{"default", metric.shownIf},
                                          {"default_labels", metric.shownLabels},
                                          {"absent", metric.absent},
                                          {"relevance", metric.relevance}})
        {
            if (!text.empty())
            {
                record[field] = text;
            }
        }
        metrics.push_back(record);
    }
    return metrics;
}

} // namespace

std::string
SimulatorDigest()
{
    Sha256 hash;
    for (const auto& [name, path] : LoadedObjects())
    {
        hash.Update(name + " " + FileDigest(path) + "\n");
    }
    return hash.HexDigest();
}

ordered_json
Describe()
{
    ordered_json scenario = ordered_json::parse(SCENARIO_SCHEMA);
    InsertChoices(scenario);
    return {{"contract", 2},
            {"name", SIMULATOR_NAME},
            {"title", "ns-3 packet-level simulation"},
            {"engine", {{"name", "ns-3"}, {"version", WINDTUNNEL_NS3_VERSION}}},
            {"digest", SimulatorDigest()},
            {"metrics", DescribeMetrics()},
            {"scenario", scenario},
            {"cost",
             {{"events", "events"},
              {"simulated_seconds", "simulated_seconds"},
              {"events_per_second", 1'000'000},
              {"startup_seconds", 0.03}}}};
}

} // namespace windtunnel
