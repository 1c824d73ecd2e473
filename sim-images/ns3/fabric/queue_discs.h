// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "fabric/link_config.h"
#include "base/fields.h"

#include "ns3/queue-disc.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace windtunnel
{

/** An ns-3 queue disc that a spec can name, and those of its attributes that it can set. */
struct QueueDiscKind
{
    struct Attribute
    {
        std::string name; ///< ns-3's
        nlohmann::json schema = nlohmann::json::object(); ///< laid over what the TypeId says
    };
    std::string name;
    std::string type; ///< ns-3 TypeId
    std::string summary;
    std::string source;
    std::vector<Attribute> attributes;
};

const std::vector<QueueDiscKind>& QueueDiscKinds();

/** JSON Schema of one kind of disc: `kind`, `limit` and its attributes. */
nlohmann::json SchemaOf(const QueueDiscKind& kind);

/** @throws SpecError if @p queue is no disc, or its limit or an attribute is none of this disc's. */
void CheckQueueDisc(const QueueConfig& queue, const Fields& fields);

/** The disc of one port, initialized; its random draws come from @p stream. */
ns3::Ptr<ns3::QueueDisc> MakeQueueDisc(const LinkConfig& config, int64_t stream);

} // namespace windtunnel
