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
         "Mean goodput of a data flow over the link rate."},
        {"packet_delay_ms_mean",
         "ms",
         "lower",
         "Mean one-way delay of data packets, from the sender's IP layer to the receiver's."},
        {"packet_delay_ms_p50", "ms", "lower", "Median one-way delay of data packets."},
        {"packet_delay_ms_p95", "ms", "lower", "95th percentile of data packets' one-way delay."},
        {"packet_delay_ms_p99", "ms", "lower", "99th percentile of data packets' one-way delay."},
        {"drops_total", "packets", "lower", "Packets dropped at switches' egress queues."},
        {"drops_edge", "packets", "lower", "Of these, at edge switches."},
        {"drops_aggregation", "packets", "lower", "Of these, at aggregation switches."},
        {"drops_core", "packets", "lower", "Of these, at core switches."},
        {"drops_host", "packets", "lower", "Packets dropped at hosts' own interfaces."},
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
    };
    return all;
}

const Metric&
MetricNamed(std::string_view name)
{
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
