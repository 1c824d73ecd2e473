// SPDX-License-Identifier: GPL-2.0-only
#include "probes/port_capture.h"

#include "base/spec_error.h"

#include "ns3/packet.h"
#include "ns3/simulator.h"

#include <vector>

using namespace ns3;

namespace windtunnel
{
namespace
{

constexpr uint32_t DLT_RAW = 101;
constexpr int64_t NS_PER_S = 1'000'000'000;

} // namespace

PortCapture::PortCapture(Egress& port, const std::string& file)
{
    m_file.Open(file, std::ios::out);
    if (m_file.Fail())
    {
        throw SpecError("--pcap: " + file + " can't be written");
    }
    m_file.Init(DLT_RAW, PcapFile::SNAPLEN_DEFAULT, PcapFile::ZONE_DEFAULT, false, true);
    port.SetObserver([this](const Packet& packet) { Write(packet); });
}

void
PortCapture::Write(const Packet& packet)
{
    std::vector<uint8_t> bytes(packet.GetSize());
    packet.CopyData(bytes.data(), bytes.size());
    const int64_t now = Simulator::Now().GetNanoSeconds();
    m_file.Write(now / NS_PER_S, now % NS_PER_S, bytes.data(), bytes.size());
}

} // namespace windtunnel
