// SPDX-License-Identifier: GPL-2.0-only
#include "results/metrics.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace windtunnel
{

const std::vector<Metric>&
Metrics()
{
    static const std::vector<Metric> all{
        {"ideal_throughput_pct",
         "%",
         "higher",
         "Mean goodput of a data flow over the link rate: that of a host's link, of a dumbbell's "
         "bottleneck, of the link to incast's client."},
        {"packet_delay_ms_mean",
         "ms",
         "lower",
         "Mean one-way delay of data packets, from the sender's IP layer to the receiver's."},
        {"packet_delay_ms_p50", "ms", "lower", "Median one-way delay of data packets."},
        {"packet_delay_ms_p95", "ms", "lower", "95th percentile of data packets' one-way delay."},
        {"packet_delay_ms_p99", "ms", "lower", "99th percentile of data packets' one-way delay."},
        {"drops_total", "packets", "lower", "Packets dropped at switches' egress queues."},
        {"drops_edge", "packets", "lower", "Of these, at edge switches of a fat-tree."},
        {"drops_aggregation", "packets", "lower", "Of these, at aggregation switches of a fat-tree."},
        {"drops_core", "packets", "lower", "Of these, at core switches of a fat-tree."},
        {"drops_bottleneck", "packets", "lower", "Of these, at a dumbbell's or incast's bottleneck."},
        {"drops_access", "packets", "lower", "Of these, at the other ports of such a topology."},
        {"drops_host", "packets", "lower", "Packets dropped at hosts' own interfaces."},
        {"losses", "packets", "none", "Packets that the bottleneck's random loss took."},
        {"goodput_mbps",
         "Mb/s",
         "higher",
         "Bytes delivered in order to the receiving application over the measured time, mean over "
         "flows."},
        {"goodput_total_mbps", "Mb/s", "higher", "The same, summed over flows."},
        {"jain_fairness",
         "",
         "higher",
         "Jain's index of the flows' goodput, (sum x)^2 / (n sum x^2); 1 when all are zero."},
        {"flowmonitor_throughput_pct",
         "%",
         "higher",
         "As FlowMonitor has it: received IP bytes over (last received - first sent), mean over "
         "data flows, over the link rate."},
        {"ns325_throughput_pct",
         "%",
         "none",
         "As FlowMonitor under ns-3.25 had it: the same without packets that met a full device "
         "queue, which that version sent later and FlowMonitor had given up (ns-3 bug 2284). Only "
         "where a queue names its ns325_device_queue."},
        {"queue_length_mean",
         "packets",
         "lower",
         "Time-weighted mean queue length of the switch port where it is largest."},
        {"queue_length_p95",
         "packets",
         "lower",
         "Time-weighted 95th percentile of the queue length at that port."},
        {"queue_length_max",
         "packets",
         "lower",
         "Largest queue length at any switch port."},
        {"link_utilization_max",
         "%",
         "none",
         "Share of the measured time for which the busiest switch port transmits."},
        {"cwnd_segments_mean",
         "segments",
         "none",
         "Time-weighted mean congestion window, mean over flows that had one."},
        {"window_cov",
         "",
         "lower",
         "Coefficient of variation of the flows' congestion windows at one instant, mean over a "
         "thousand instants."},
        {"retransmissions", "packets", "lower", "Data packets sent again, all flows together."},
        {"timeouts", "", "lower", "Retransmission timeouts, all flows together."},
        {"ecn_marks", "packets", "none", "Packets that queues marked as having met congestion."},
        {"response_share",
         "",
         "none",
         "A group's share of the bytes that all flows delivered."},
        {"mmf_share_pct",
         "%",
         "higher",
         "A bulk flow's goodput over its max-min fair ceiling on the paths that it takes, mean over "
         "flows."},
        {"fct_ms_mean",
         "ms",
         "lower",
         "Completion time of transfers that began after the warm-up, from the SYN to the last byte "
         "at the receiving application: mean over those that completed."},
        {"fct_ms_p50", "ms", "lower", "Median of these."},
        {"fct_ms_p99", "ms", "lower", "99th percentile of these."},
        {"slowdown_mean",
         "",
         "lower",
         "Completion time over the least possible one: a handshake's round trip, and the transfer at "
         "the rate of the path's slowest link; mean."},
        {"slowdown_p50", "", "lower", "Median of these."},
        {"slowdown_p99", "", "lower", "99th percentile of these."},
        {"transfers_completed", "flows", "none", "Transfers that these are taken over."},
        {"transfers_unfinished",
         "flows",
         "lower",
         "Transfers that began after the warm-up and had not completed when the run ended."},
        {"round_ms_mean",
         "ms",
         "lower",
         "Duration of incast's rounds that began after the warm-up, to the last byte of the last "
         "server: mean over those that completed."},
        {"round_ms_p50", "ms", "lower", "Median of these."},
        {"round_ms_p99", "ms", "lower", "99th percentile of these."},
        {"rounds_goodput_mbps",
         "Mb/s",
         "higher",
         "Bytes of these rounds over the time from the first one's begin to the last one's end, "
         "gaps included."},
        {"rounds_unfinished",
         "rounds",
         "lower",
         "1 where a round had begun and not completed when the run ended, else 0."},
        {"rounds_completed", "rounds", "higher", "Rounds that these are taken over."},
    };
    return all;
}

const Metric&
MetricNamed(std::string_view labelled)
{
    const std::string_view name = labelled.substr(0, labelled.find(':'));
    const auto& all = Metrics();
    const auto found =
        std::find_if(all.begin(), all.end(), [name](const Metric& m) { return m.name == name; });
    if (found == all.end())
    {
        throw std::out_of_range("no metric is named " + std::string(name));
    }
    return *found;
}

} // namespace windtunnel
