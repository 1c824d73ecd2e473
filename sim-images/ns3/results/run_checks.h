// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "results/finished_run.h"
#include "results/record_stream.h"

namespace windtunnel
{

/** Writes what must hold in every run, each as a record; the service fails a run that broke one. */
void WriteChecks(RecordStream& records, const FinishedRun& run);

} // namespace windtunnel
