// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "fabric/switch.h"

#include "ns3/pcap-file.h"

#include <string>

namespace windtunnel
{

/** Writes what one port sends to a pcap file: raw IP packets (DLT_RAW), stamped in nanoseconds. */
class PortCapture
{
  public:
    /** @throws SpecError if @p file can't be written. */
    PortCapture(Egress& port, const std::string& file);

  private:
    void Write(const ns3::Packet& packet);

    ns3::PcapFile m_file;
};

} // namespace windtunnel
