// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "congestion/catalogue.h"

#include <string>

namespace windtunnel
{

/** Flows that share an algorithm. */
struct FlowGroup
{
    std::string name; ///< empty where the workload has no groups
    AlgorithmSpec algorithm;
};

} // namespace windtunnel
