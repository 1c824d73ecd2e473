// SPDX-License-Identifier: GPL-2.0-only
#include "results/run_checks.h"

#include <algorithm>
#include <limits>
#include <string>

namespace windtunnel
{
namespace
{

void
CheckPorts(RecordStream& records, const FinishedRun& run)
{
    std::string lost;
    std::string tooFast;
    for (const Port& port : run.network.Ports())
    {
        const auto& total = port.meter->total;
        const uint64_t accounted = total.droppedPackets + total.sentPackets + port.meter->Length();
        if (total.offeredPackets != accounted ||
            total.deliveredPackets + total.lostPackets > total.sentPackets)
        {
            lost += " " + port.name;
        }
        const double sentBits = static_cast<double>(port.meter->Since(run.spec.durationNs).sentBytes) * 8;
        const double packetBits = Link::MTU * 8; // one may have begun just before the warm-up's end
        const auto rate = static_cast<double>(port.link.rate.GetBitRate());
        if (sentBits > rate * run.MeasuredSeconds() + packetBits)
        {
            tooFast += " " + port.name;
        }
    }
    records.Check("port_conservation",
                  lost.empty(),
                  lost.empty() ? "offered = sent + dropped + waiting at every port"
                               : "broken at" + lost);
    records.Check("link_rate",
                  tooFast.empty(),
                  tooFast.empty() ? "no port sends faster than its link" : "too fast at" + tooFast);
}

/** Counted independently of the ports, at the hosts' IP layers. */
void
CheckConservation(RecordStream& records, const FinishedRun& run)
{
    uint64_t gone = 0;
    for (const Port& port : run.network.Ports())
    {
        gone += port.meter->total.droppedPackets + port.meter->total.lostPackets;
    }
    const uint64_t sent = run.flows.AllSent();
    const uint64_t ended = run.flows.AllReceived() + gone + run.network.PacketsInFlight();
    records.Check("network_conservation",
                  sent == ended,
                  "hosts sent " + std::to_string(sent) +
                      ", received + dropped + lost + in flight " + std::to_string(ended));
}

void
CheckFlows(RecordStream& records, const FinishedRun& run)
{
    int64_t excess = std::numeric_limits<int64_t>::max();
    uint64_t bytes = 0;
    for (uint32_t flow = 0; flow < run.FlowCount(); ++flow)
    {
        excess = std::min(excess, run.flows.Delays()[flow].minExcessNs);
        bytes += run.connections.Deliveries()[flow].bytesMeasured;
    }
    records.Check("delay_floor",
                  excess >= 0,
                  "no data packet is faster than serialization and propagation allow");
    records.Check("flow_bytes",
                  bytes == run.seriesBytes,
                  "flows delivered " + std::to_string(bytes) + " bytes, the goodput series " +
                      std::to_string(run.seriesBytes));
}

/** What a faulty algorithm sets; stock ones do not. */
void
CheckWindows(RecordStream& records, const FinishedRun& run)
{
    const auto& fault = run.tcp.Fault();
    records.Check("window_range",
                  !fault,
                  fault ? fault->what + ", flow " + std::to_string(fault->flow) + " at " +
                              std::to_string(fault->atNs) + " ns"
                        : "no window or slow start threshold was out of range");
}

/** Only tells: stock DCTCP and YeAH let a window touch zero. */
void
ReportCwndFloor(RecordStream& records, const FinishedRun& run)
{
    const CwndFloor& floor = run.tcp.Floor();
    const bool known = floor.bytes != std::numeric_limits<uint32_t>::max();
    records.Check("cwnd_floor",
                  true,
                  known ? "smallest window " + std::to_string(floor.bytes) + " B, flow " +
                              std::to_string(floor.flow) + " at " + std::to_string(floor.atNs) +
                              " ns"
                        : "no flow had a window");
}

} // namespace

void
WriteChecks(RecordStream& records, const FinishedRun& run)
{
    CheckPorts(records, run);
    CheckConservation(records, run);
    CheckFlows(records, run);
    CheckWindows(records, run);
    ReportCwndFloor(records, run);
}

} // namespace windtunnel
