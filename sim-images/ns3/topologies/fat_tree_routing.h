// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "fabric/switch.h"
#include "topologies/fat_tree.h"

#include <memory>

namespace windtunnel
{

/** Routing functions of a fat-tree's switches, from the destination's address (see FatTree). */
struct FatTreeRouting
{
    uint32_t k;
    FatTreeSpec::Routing routing;
    FatTreeSpec::Rack rack;
    uint64_t hashSeed; ///< of `ecmp-flow` and `ecmp-packet`

    std::unique_ptr<Router> ForEdge(uint32_t pod, uint32_t edge) const;
    std::unique_ptr<Router> ForAggregation(uint32_t pod, uint32_t aggregation) const;
    std::unique_ptr<Router> ForCore() const;
};

} // namespace windtunnel
