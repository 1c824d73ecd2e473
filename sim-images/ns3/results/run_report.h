// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "probes/flow_probe.h"
#include "probes/series_sampler.h"
#include "results/record_stream.h"
#include "spec/run_spec.h"
#include "topologies/fat_tree.h"
#include "workloads/random_pairs.h"
#include "workloads/schedule.h"

#include <vector>

namespace windtunnel
{

/** Turns what the probes of a finished run hold into records: metrics, series, flows, ports, checks. */
class RunReport
{
  public:
    /** The parts of a run that has ended; they outlive the report. */
    struct Run
    {
        const RunSpec& spec;
        const Schedule& schedule;
        const FatTree& tree;
        const FlowProbe& flows;
        const RandomPairs& workload;
        uint64_t seriesBytes; ///< sum of the goodput series, to check flows against
    };

    explicit RunReport(const Run& run)
        : m_run(run)
    {
    }

    void Write(RecordStream& records, const std::vector<SampledSeries>& series) const;

  private:
    void WriteMetrics(RecordStream& records) const;
    void WriteGoodput(RecordStream& records) const;
    void WriteDelays(RecordStream& records) const;
    void WriteQueues(RecordStream& records) const;
    void WriteFlows(RecordStream& records) const;
    void WritePorts(RecordStream& records) const;
    void WriteChecks(RecordStream& records) const;
    void CheckPorts(RecordStream& records) const;
    void CheckFlows(RecordStream& records) const;
    double MeasuredSeconds() const;
    double GoodputMbps(uint32_t flow) const;
    uint64_t DropsAt(Tier tier) const;

    Run m_run;
};

} // namespace windtunnel
