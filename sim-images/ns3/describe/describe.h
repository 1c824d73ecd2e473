// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace windtunnel
{

/** What this image offers: engine, digest, metrics, and the schema that a scenario must meet. */
nlohmann::ordered_json Describe();

/**
 * SHA-256 over the running executable and every shared object that it has loaded, so that an edit,
 * another compiler or another libm makes another simulator.
 */
std::string SimulatorDigest();

} // namespace windtunnel
