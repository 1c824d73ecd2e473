// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-socket-base.h"

#include <nlohmann/json.hpp>

#include <string>
#include <utility>
#include <vector>

namespace windtunnel
{

/** A congestion control by its name in a spec, and its attributes by name. */
struct AlgorithmSpec
{
    std::string kind;
    nlohmann::json attributes;
};

/** A congestion control that a spec can name. Its parameters are its types' attributes. */
struct Algorithm
{
    std::string name;
    std::string type; ///< ns-3 TypeId of the sender's congestion control
    std::string category;
    std::string summary;
    std::string formula;
    std::string source;
    /** What to lay over an attribute's schema: units, tighter bounds; null hides it. */
    std::vector<std::pair<std::string, nlohmann::json>> attributes{};
    /** What a scenario must be for it, as expressions (docs/sim-image-contract.md). */
    nlohmann::json constraints = nlohmann::json::array();
    /** The same for what is allowed but likely a mistake. */
    nlohmann::json lints = nlohmann::json::array();
    std::string receiver{}; ///< TypeId of the receiver's socket, where it is not ns-3's own
};

/** ns-3's name of an attribute that is no parameter: the stream of a control's own draws. */
inline constexpr const char* RANDOM_STREAM = "Stream";

/** Every algorithm, in the order in which a catalogue shows them. */
const std::vector<Algorithm>& Algorithms();

/**
 * Adds an algorithm to the catalogue before main() begins. One of these in the .cc of a pair in
 * this folder is all that an algorithm of ours needs.
 */
class AlgorithmRegistration
{
  public:
    explicit AlgorithmRegistration(Algorithm algorithm);
};

/** JSON Schema of one algorithm: `kind` and every settable attribute with default and unit. */
nlohmann::json SchemaOf(const Algorithm& algorithm);

/** @throws SpecError for an unknown algorithm or attribute, or a value out of its schema. */
void CheckAlgorithm(const AlgorithmSpec& spec, const std::string& path);

/** @throws SpecError for an unknown algorithm or attribute. */
ns3::Ptr<ns3::TcpCongestionOps> MakeCongestionControl(const AlgorithmSpec& spec);

/** The socket that receives what such senders send. @throws SpecError as above. */
ns3::Ptr<ns3::TcpSocketBase> MakeReceiver(const AlgorithmSpec& spec);

} // namespace windtunnel
