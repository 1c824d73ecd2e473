// SPDX-License-Identifier: GPL-2.0-only
//
// The same scenario as windtunnel-ns3 runs, built the way ns-3's users build it: PointToPointHelper
// and CsmaHelper, Nix-vector routing through IP stacks in every switch, FlowMonitor on all nodes.
// Reads the same run spec on stdin; prints per-flow bytes, per-port drops and FlowMonitor's counts
// and delay sums as one JSON object. What the fabric must equal, and what its speed is held against.
#include "spec/run_spec.h"
#include "workloads/random_pairs.h"
#include "workloads/schedule.h"
#include "workloads/transport.h"

#include "ns3/core-module.h"
#include "ns3/csma-helper.h"
#include "ns3/csma-net-device.h"
#include "ns3/flow-monitor-helper.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-flow-classifier.h"
#include "ns3/neighbor-cache-helper.h"
#include "ns3/nix-vector-helper.h"
#include "ns3/nix-vector-routing.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/rng-seed-manager.h"

#include <iostream>
#include <map>
#include <sstream>

using namespace ns3;
using namespace windtunnel;

namespace
{

template <typename... Parts>
std::string
Name(const Parts&... parts)
{
    std::ostringstream name;
    (name << ... << parts);
    return name.str();
}

/** A fat-tree of ordinary ns-3 nodes; devices are added in the order of FatTree's ports. */
class StockFatTree
{
  public:
    explicit StockFatTree(const FatTreeSpec& spec)
        : m_spec(spec),
          m_half(spec.k / 2)
    {
        hosts.Create(spec.k * m_half * m_half);
        m_edges.Create(spec.k * m_half);
        m_aggregations.Create(spec.k * m_half);
        m_cores.Create(m_half * m_half);
        InternetStackHelper stack;
        stack.SetIpv6StackInstall(false);
        stack.SetRoutingHelper(Ipv4NixVectorHelper());
        stack.InstallAll();
        const auto unit = spec.link.queue.unit == QueueLimit::Unit::Packets ? "p" : "B";
        const std::string limit = std::to_string(spec.link.queue.value) + unit;
        m_link.SetDeviceAttribute("DataRate", DataRateValue(spec.link.rate));
        m_link.SetChannelAttribute("Delay", TimeValue(spec.link.delay));
        m_link.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", StringValue(limit));
        m_link.DisableFlowControl();
        m_segment.SetChannelAttribute("DataRate", DataRateValue(spec.link.rate));
        m_segment.SetChannelAttribute("Delay", TimeValue(spec.link.delay));
        m_segment.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", StringValue(limit));
        m_segment.DisableFlowControl();
        m_addresses.SetBase("10.0.0.0", "255.255.255.0");
        if (spec.rack == FatTreeSpec::Rack::PointToPoint)
        {
            MakePointToPointRacks();
        }
        else
        {
            MakeSharedRacks();
        }
        WirePods();
        if (spec.rack == FatTreeSpec::Rack::SharedLan)
        {
            NeighborCacheHelper().PopulateNeighborCache();
        }
    }

    Ipv4Address Address(uint32_t host) const
    {
        return m_hostAddresses[host];
    }

    NodeContainer hosts;
    std::map<std::string, uint64_t> drops;

  private:
    template <typename Device>
    void CountDrops(const Ptr<NetDevice>& device, const std::string& port)
    {
        drops[port] = 0;
        DynamicCast<Device>(device)->GetQueue()->TraceConnectWithoutContext(
            "Drop",
            Callback<void, Ptr<const Packet>>([this, port](Ptr<const Packet>) { ++drops[port]; }));
    }

    Ipv4InterfaceContainer Connect(const Ptr<Node>& a,
                                   const std::string& portOfA,
                                   const Ptr<Node>& b,
                                   const std::string& portOfB)
    {
        NetDeviceContainer devices = m_link.Install(a, b);
        CountDrops<PointToPointNetDevice>(devices.Get(0), portOfA);
        CountDrops<PointToPointNetDevice>(devices.Get(1), portOfB);
        m_addresses.NewNetwork();
        return m_addresses.Assign(devices);
    }

    void MakePointToPointRacks()
    {
        for (uint32_t host = 0; host < hosts.GetN(); ++host)
        {
            const uint32_t rack = host / m_half;
            const auto port =
                Name("pod", rack / m_half, ".edge", rack % m_half, ".port", host % m_half);
            const auto interfaces =
                Connect(hosts.Get(host), Name("host", host, ".nic"), m_edges.Get(rack), port);
            m_hostAddresses.push_back(interfaces.GetAddress(0));
        }
    }

    void MakeSharedRacks()
    {
        int64_t stream = 1'000'000;
        for (uint32_t rack = 0; rack < m_edges.GetN(); ++rack)
        {
            NodeContainer stations;
            for (uint32_t i = 0; i < m_half; ++i)
            {
                stations.Add(hosts.Get(rack * m_half + i));
            }
            stations.Add(m_edges.Get(rack));
            NetDeviceContainer devices = m_segment.Install(stations);
            stream += m_segment.AssignStreams(devices, stream);
            m_addresses.NewNetwork();
            const auto interfaces = m_addresses.Assign(devices);
            for (uint32_t i = 0; i < m_half; ++i)
            {
                m_hostAddresses.push_back(interfaces.GetAddress(i));
                CountDrops<CsmaNetDevice>(devices.Get(i), Name("host", rack * m_half + i, ".nic"));
            }
            CountDrops<CsmaNetDevice>(
                devices.Get(m_half),
                Name("pod", rack / m_half, ".edge", rack % m_half, ".port0"));
        }
    }

    void WirePods()
    {
        const uint32_t hostPorts = m_spec.rack == FatTreeSpec::Rack::PointToPoint ? m_half : 1;
        for (uint32_t pod = 0; pod < m_spec.k; ++pod)
        {
            for (uint32_t edge = 0; edge < m_half; ++edge)
            {
                for (uint32_t agg = 0; agg < m_half; ++agg)
                {
                    Connect(m_edges.Get(pod * m_half + edge),
                            Name("pod", pod, ".edge", edge, ".port", hostPorts + agg),
                            m_aggregations.Get(pod * m_half + agg),
                            Name("pod", pod, ".aggregation", agg, ".port", edge));
                }
            }
        }
        for (uint32_t pod = 0; pod < m_spec.k; ++pod)
        {
            for (uint32_t core = 0; core < m_cores.GetN(); ++core)
            {
                const uint32_t agg = core / m_half;
                Connect(m_aggregations.Get(pod * m_half + agg),
                        Name("pod", pod, ".aggregation", agg, ".port", m_half + core % m_half),
                        m_cores.Get(core),
                        Name("core", core, ".port", pod));
            }
        }
    }

    FatTreeSpec m_spec;
    uint32_t m_half;
    NodeContainer m_edges;
    NodeContainer m_aggregations;
    NodeContainer m_cores;
    PointToPointHelper m_link;
    CsmaHelper m_segment;
    Ipv4AddressHelper m_addresses;
    std::vector<Ipv4Address> m_hostAddresses;
};

nlohmann::ordered_json
Counts(const FlowMonitor::FlowStats& stats)
{
    return {{"tx_packets", stats.txPackets},
            {"rx_packets", stats.rxPackets},
            {"rx_bytes", stats.rxBytes},
            {"delay_sum_ns", stats.delaySum.GetNanoSeconds()}};
}

} // namespace

int
main()
{
    const auto spec = RunSpec::FromJson(nlohmann::json::parse(std::cin));
    RngSeedManager::SetSeed(1);
    RngSeedManager::SetRun(spec.seedIndex);
    StockFatTree tree(spec.topology);
    FlowMonitorHelper helper; // before the workload, whose first SYNs it would miss otherwise
    const Ptr<FlowMonitor> monitor = helper.InstallAll();
    const auto schedule = DrawSchedule(spec.workload, tree.hosts.GetN(), spec.durationNs);
    const Transport transport(spec.transport, spec.algorithm);
    RandomPairs workload(
        spec,
        schedule,
        transport,
        [&tree](uint32_t host) { return tree.hosts.Get(host); },
        [&tree](uint32_t host) { return tree.Address(host); });
    Simulator::Stop(NanoSeconds(spec.durationNs));
    Simulator::Run();

    nlohmann::ordered_json flows = nlohmann::ordered_json::array();
    for (const Delivery& delivery : workload.Deliveries())
    {
        flows.push_back({{"bytes", delivery.bytesTotal}, {"data", nullptr}, {"acks", nullptr}});
    }
    const auto classifier = DynamicCast<Ipv4FlowClassifier>(helper.GetClassifier());
    for (const auto& [id, stats] : monitor->GetFlowStats())
    {
        const auto tuple = classifier->FindFlow(id);
        const bool data = tuple.destinationPort >= RandomPairs::FIRST_PORT &&
                          tuple.destinationPort < RandomPairs::FIRST_PORT + spec.workload.flows;
        const uint16_t port = data ? tuple.destinationPort : tuple.sourcePort;
        flows[port - RandomPairs::FIRST_PORT][data ? "data" : "acks"] = Counts(stats);
    }
    std::cout << nlohmann::ordered_json{{"flows", flows},
                                        {"drops", tree.drops},
                                        {"events", Simulator::GetEventCount()}}
              << '\n';
    Simulator::Destroy();
}
