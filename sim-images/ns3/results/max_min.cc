// SPDX-License-Identifier: GPL-2.0-only
#include "results/max_min.h"

#include <algorithm>
#include <limits>

namespace windtunnel
{

std::vector<FairRate>
MaxMinRates(const std::vector<ResourceShares>& flows, const std::vector<double>& capacities)
{
    std::vector<double> left = capacities;
    std::vector<double> demand(capacities.size(), 0); // of the flows that still rise, per unit rate
    std::vector<std::vector<uint32_t>> users(capacities.size());
    for (uint32_t flow = 0; flow < flows.size(); ++flow)
    {
        for (const auto& [resource, share] : flows[flow])
        {
            demand[resource] += share;
            users[resource].push_back(flow);
        }
    }
    std::vector<uint32_t> risingUsers(capacities.size());
    for (size_t resource = 0; resource < users.size(); ++resource)
    {
        risingUsers[resource] = users[resource].size();
    }
    std::vector<FairRate> rates(flows.size());
    std::vector<bool> stopped(flows.size(), false);
    while (true)
    {
        double level = std::numeric_limits<double>::infinity();
        uint32_t full = 0;
        for (uint32_t resource = 0; resource < left.size(); ++resource)
        {
            if (risingUsers[resource] > 0 && left[resource] / demand[resource] < level)
            {
                level = std::max(0.0, left[resource] / demand[resource]);
                full = resource;
            }
        }
        if (level == std::numeric_limits<double>::infinity())
        {
            return rates;
        }
        for (const uint32_t flow : users[full])
        {
            if (stopped[flow])
            {
                continue;
            }
            stopped[flow] = true;
            rates[flow] = {level, full};
            for (const auto& [resource, share] : flows[flow])
            {
                left[resource] -= level * share;
                demand[resource] -= share;
                --risingUsers[resource];
            }
        }
    }
}

} // namespace windtunnel
