// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "base/fields.h"
#include "base/quantity.h"
#include "fabric/link_config.h"
#include "topologies/topology.h"

#include <string>

namespace windtunnel
{

/** A link's `rate` and `delay`. @throws SpecError */
LinkRate ReadLink(Fields link);

/** The link called @p name, or @p otherwise where it is null. */
LinkRate ReadLinkOr(Fields& topology, const std::string& name, const LinkRate& otherwise);

/** Reads queues of one topology, whose bandwidth-delay product their limits may be in. */
class QueueReader
{
  public:
    /** @param spec knows its rate and longest path already; it notes what its queues are. */
    QueueReader(Fields& topology, TopologySpec& spec, uint32_t packetBytes);

    /** The queue called @p name. @throws SpecError */
    QueueConfig Read(const std::string& name);

    /** The queue called @p name, or @p otherwise where it is null. */
    QueueConfig ReadOr(const std::string& name, const QueueConfig& otherwise);

  private:
    QueueLimit Limit(Fields& fields, const std::string& name) const;

    Fields& m_topology;
    TopologySpec& m_spec;
    BandwidthDelayProduct m_product;
};

} // namespace windtunnel
