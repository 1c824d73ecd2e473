// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "probes/flow_probe.h"
#include "probes/series_sampler.h"
#include "results/record_stream.h"
#include "spec/run_spec.h"
#include "topologies/fat_tree.h"
#include "workloads/random_pairs.h"
#include "workloads/schedule.h"
#include "workloads/transport.h"

#include <memory>
#include <vector>

namespace windtunnel
{

/** One run: builds the network, drives the traffic, and writes what was measured as records. */
class Experiment
{
  public:
    explicit Experiment(const RunSpec& spec);
    ~Experiment();

    void Run(RecordStream& records);

  private:
    Record Configuration() const;
    void BeginMeasurement();
    void ReportProgress(RecordStream* records);

    RunSpec m_spec;
    Schedule m_schedule;
    Transport m_transport;
    std::unique_ptr<FatTree> m_tree;
    std::unique_ptr<FlowProbe> m_flows;
    std::unique_ptr<RandomPairs> m_workload;
    GoodputSeries m_goodput;
    std::vector<QueueLengthSampler> m_samplers;
};

} // namespace windtunnel
