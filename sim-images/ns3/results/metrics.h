// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string_view>
#include <vector>

namespace windtunnel
{

/** One named scalar that a run reports; `docs/metrics.md` has the same list, held by a test. */
struct Metric
{
    std::string_view name;
    std::string_view unit;
    std::string_view direction; ///< `higher` or `lower` is better; `none` where neither is
    std::string_view title;     ///< as tables and charts name it, without the unit
    std::string_view group;     ///< topic: throughput, delay, drops, ...
    std::string_view definition;
    std::string_view shownIf{};     ///< expression: shown by default if it holds
    std::string_view shownLabels{}; ///< expression, a list: shown by default with these labels
    std::string_view absent{};      ///< why a run may have no value of it
    std::string_view relevance{};   ///< which difference matters; empty: 5 % of the baseline
};

const std::vector<Metric>& Metrics();

/** The metric of a name, or of a name with a label: `goodput_mbps:newcomer` is a group's.
 *  @throws std::out_of_range for a name that Metrics() does not list. */
const Metric& MetricNamed(std::string_view labelled);

} // namespace windtunnel
