// SPDX-License-Identifier: GPL-2.0-only
#include "results/run_report.h"

#include "results/run_checks.h"
#include "results/run_metrics.h"
#include "workloads/size_distribution.h"

namespace windtunnel
{
namespace
{

constexpr double NS_PER_MS = 1e6;

/** Names of the ports that a flow crosses; those that only some of its packets cross, with the share. */
Record
PathRecord(const FinishedRun& run, const Path& path)
{
    Record hops = Record::array();
    for (const Path::Hop& hop : path.hops)
    {
        const std::string& name = run.network.Ports()[hop.port].name;
        hops.push_back(hop.share == 1 ? Record(name) : Record{{"port", name}, {"share", hop.share}});
    }
    return hops;
}

void
AddPath(Record& record, const FinishedRun& run, uint32_t flow, const FairRate& ceiling)
{
    if (run.paths[flow])
    {
        record["hops"] = run.paths[flow]->links.size();
        record["path"] = PathRecord(run, *run.paths[flow]);
        record["bottleneck"] = run.network.Ports()[ceiling.bottleneck].name;
        record["max_min_mbps"] = ceiling.rate;
    }
}

void
AddCompletion(Record& record, const PlannedFlow& planned, const Delivery& delivery)
{
    if (planned.bytes > 0)
    {
        record["size_bytes"] = planned.bytes;
        record["class"] = ToString(ClassOf(planned.bytes));
        record["fct_ms"] =
            delivery.completedNs < 0
                ? Record(nullptr)
                : Record(static_cast<double>(delivery.completedNs - planned.startNs) / NS_PER_MS);
    }
}

Record
FlowRecord(const FinishedRun& run, uint32_t flow, const FairRate& ceiling)
{
    const PlannedFlow& planned = run.schedule.flows[flow];
    const Delivery& delivery = run.connections.Deliveries()[flow];
    const FlowDirection& data = run.flows.Data()[flow];
    const FlowDirection& acks = run.flows.Acks()[flow];
    const DataDelay& delay = run.flows.Delays()[flow];
    const TcpCounters tcp = run.tcp.Since(flow, run.spec.durationNs);
    Record record{{"flow", flow}, {"source", planned.sender}, {"destination", planned.receiver}};
    if (!run.spec.workload->Groups()[planned.group].name.empty())
    {
        record["group"] = run.spec.workload->Groups()[planned.group].name;
    }
    record["start_ns"] = planned.startNs;
    AddPath(record, run, flow, ceiling);
    record["connected"] = delivery.connected;
    record["aborted"] = delivery.aborted;
    record["bytes"] = delivery.bytesMeasured;
    record["goodput_mbps"] = run.GoodputMbps(flow);
    AddCompletion(record, planned, delivery);
    record["tx_packets"] = data.txPackets;
    record["rx_packets"] = data.rxPackets;
    record["delay_sum_ns"] = data.delaySumNs;
    record["ack_tx_packets"] = acks.txPackets;
    record["ack_rx_packets"] = acks.rxPackets;
    record["ack_delay_sum_ns"] = acks.delaySumNs;
    record["packet_delay_ms_mean"] =
        delay.packets == 0 ? Record(nullptr)
                           : Record(static_cast<double>(delay.sumNs) /
                                    static_cast<double>(delay.packets) / NS_PER_MS);
    record["cwnd_segments_mean"] =
        tcp.meanCwndBytes ? Record(*tcp.meanCwndBytes / run.spec.transport.segmentBytes)
                          : Record(nullptr);
    record["retransmissions"] = tcp.retransmissions;
    record["timeouts"] = tcp.timeouts;
    record["fast_recoveries"] = tcp.fastRecoveries;
    record["ecn_marks"] = data.markedPackets;
    return record;
}

/** One record for all ranges of delays: each record has a digest of 32 bytes, which is stored. */
void
WritePacketDelays(RecordStream& records, const DelayHistogram& histogram)
{
    std::vector<int64_t> delays;
    std::vector<uint64_t> packets;
    for (const DelayHistogram::Bin& bin : histogram.CoarseBins())
    {
        delays.push_back(bin.delayNs);
        packets.push_back(bin.packets);
    }
    if (!delays.empty())
    {
        records.PacketDelay({{"delay_ns", delays}, {"packets", packets}});
    }
}

void
WritePorts(RecordStream& records, const FinishedRun& run)
{
    for (const Port& port : run.network.Ports())
    {
        const PortMeter::Counters counters = port.meter->Since(run.spec.durationNs);
        if (counters.offeredPackets == 0)
        {
            continue; // under single-path most of the tree is idle
        }
        const auto occupancy = port.meter->QueueOccupancy(run.spec.durationNs);
        records.Port({{"port", port.name},
                      {"tier", ToString(port.tier)},
                      {"packets", counters.sentPackets},
                      {"bytes", counters.sentBytes},
                      {"drops", counters.droppedPackets},
                      {"marks", counters.markedPackets},
                      {"random_losses", counters.lostPackets},
                      {"utilization_pct",
                       static_cast<double>(counters.busyNs) / 1e7 / run.MeasuredSeconds()},
                      {"queue_length_mean", occupancy.mean},
                      {"queue_length_max", occupancy.max}});
    }
}

} // namespace

void
WriteReport(RecordStream& records,
            const FinishedRun& run,
            const std::vector<SampledSeries>& series)
{
    const std::vector<FairRate> ceilings = run.FairCeilings();
    WriteMetrics(records, run, ceilings);
    for (const SampledSeries& one : series)
    {
        records.Series(one.name, one.unit, one.firstNs, one.stepNs, one.values);
    }
    WritePacketDelays(records, run.flows.Histogram());
    for (uint32_t flow = 0; flow < run.FlowCount(); ++flow)
    {
        records.Flow(FlowRecord(run, flow, ceilings[flow]));
    }
    WritePorts(records, run);
    WriteChecks(records, run);
}

} // namespace windtunnel
