// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "probes/flow_probe.h"
#include "probes/port_capture.h"
#include "probes/series.h"
#include "probes/tcp_probe.h"
#include "results/record_stream.h"
#include "spec/run_spec.h"
#include "topologies/network.h"
#include "workloads/connections.h"
#include "workloads/schedule.h"
#include "workloads/traffic.h"
#include "workloads/transport.h"

#include <memory>
#include <optional>
#include <vector>

namespace windtunnel
{

/** One run: builds the network, drives the traffic, and writes what was measured as records. */
class Experiment
{
  public:
    explicit Experiment(const RunSpec& spec);
    ~Experiment();

    /** Write the packets that the port named @p port sends to a pcap file.
     *  @throws SpecError if there is no such port, or the file can't be written. */
    void Capture(const std::string& port, const std::string& file);

    void Run(RecordStream& records);

  private:
    Record Configuration() const;
    void Opened(uint32_t flow, const ns3::Ptr<TcpSender>& socket);
    int64_t DelayFloorNs(uint32_t flow, uint32_t ipBytes);
    void BeginMeasurement();
    void SampleWindows();
    void ReportProgress(RecordStream* records);

    /** Data packets come in one size: their floor is computed once a flow. */
    struct Floor
    {
        uint32_t ipBytes{0};
        int64_t ns{0};
    };

    RunSpec m_spec;
    Schedule m_schedule;
    Transport m_transport;
    std::unique_ptr<Network> m_network;
    std::vector<std::optional<Path>> m_paths;
    std::vector<Floor> m_floors;
    std::unique_ptr<FlowProbe> m_flows;
    TcpProbe m_tcp;
    std::unique_ptr<Connections> m_connections;
    std::unique_ptr<Traffic> m_traffic;
    GoodputSeries m_goodput;
    std::vector<SeriesSampler> m_samplers;
    std::vector<double> m_windowVariation;
    std::unique_ptr<PortCapture> m_capture;
};

} // namespace windtunnel
