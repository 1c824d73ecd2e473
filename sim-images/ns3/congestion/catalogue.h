// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "spec/run_spec.h"

#include "ns3/tcp-congestion-ops.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace windtunnel
{

/** A congestion control that a spec can name. Its parameters are its ns-3 type's attributes. */
struct Algorithm
{
    std::string name;
    std::string type; ///< ns-3 TypeId
    std::string category;
    std::string summary;
    std::string source;
    /** Units of attributes that are neither a plain count nor a time. */
    std::vector<std::pair<std::string, std::string>> units;
};

/** Every algorithm, in the order in which a catalogue shows them. */
const std::vector<Algorithm>& Algorithms();

/** JSON Schema of one algorithm: `kind` and every settable attribute with default and unit. */
nlohmann::json SchemaOf(const Algorithm& algorithm);

/** @throws SpecError for an unknown algorithm, attribute or value. */
ns3::Ptr<ns3::TcpCongestionOps> MakeCongestionControl(const AlgorithmSpec& spec);

} // namespace windtunnel
