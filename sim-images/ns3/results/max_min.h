// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace windtunnel
{

/** What each of a flow's packets takes of a resource: a share of 1 or less. */
using ResourceShares = std::vector<std::pair<uint32_t, double>>;

/** A flow's max-min fair rate, and the resource that sets it. */
struct FairRate
{
    double rate{0};
    uint32_t bottleneck{0};
};

/**
 * Max-min fair rates by progressive filling (Bertsekas and Gallager, Data Networks, 6.5.2): all
 * rates rise together until a resource is full, its flows stop there, and so on.
 *
 * @param flows what each flow takes of which resources; every flow takes some of at least one
 * @param capacities of the resources, in the unit of the rates
 */
std::vector<FairRate> MaxMinRates(const std::vector<ResourceShares>& flows,
                                  const std::vector<double>& capacities);

} // namespace windtunnel
