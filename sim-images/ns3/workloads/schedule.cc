// SPDX-License-Identifier: GPL-2.0-only
#include "workloads/schedule.h"

#include "base/sha256.h"

namespace windtunnel
{

std::string
Schedule::Digest() const
{
    Sha256 hash;
    for (const PlannedFlow& flow : flows)
    {
        hash.Update(std::to_string(flow.sender) + ">" + std::to_string(flow.receiver) + " @" +
                    std::to_string(flow.startNs) + " " + std::to_string(flow.bytes));
        for (const OnPeriod& period : flow.periods)
        {
            hash.Update(" " + std::to_string(period.beginNs) + "-" + std::to_string(period.endNs));
        }
        for (const int64_t jitter : flow.jitterNs)
        {
            hash.Update(" +" + std::to_string(jitter));
        }
        hash.Update("\n");
    }
    return hash.HexDigest();
}

} // namespace windtunnel
