// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "ns3/packet.h"

namespace windtunnel
{

/** Set congestion experienced (RFC 3168) in the packet's IPv4 header, if its sender speaks ECN.
 *  @return whether it was set. */
bool MarkCongestionExperienced(const ns3::Ptr<ns3::Packet>& packet);

/** Note on the packet that ns-3.25's device queue would have refused it (`ns325_throughput_pct`). */
void MarkRefusedByDevice(const ns3::Ptr<const ns3::Packet>& packet);

bool IsRefusedByDevice(const ns3::Packet& packet);

} // namespace windtunnel
