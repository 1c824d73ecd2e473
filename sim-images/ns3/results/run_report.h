// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "probes/series.h"
#include "results/finished_run.h"
#include "results/record_stream.h"

#include <vector>

namespace windtunnel
{

/** Turns what the probes of a finished run hold into records: metrics, series, packet delays,
 *  flows, ports, checks. */
void WriteReport(RecordStream& records,
                 const FinishedRun& run,
                 const std::vector<SampledSeries>& series);

} // namespace windtunnel
