// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "results/finished_run.h"
#include "results/record_stream.h"

namespace windtunnel
{

/** Writes every metric that a run has something for; metrics.cc says what each is.
 *  @param ceilings of FinishedRun::FairCeilings */
void WriteMetrics(RecordStream& records,
                  const FinishedRun& run,
                  const std::vector<FairRate>& ceilings);

} // namespace windtunnel
