// SPDX-License-Identifier: GPL-2.0-only
//
// The same scenario as windtunnel-ns3 runs, built the way ns-3's users build it: PointToPointHelper
// and CsmaHelper, Nix-vector or global routing through IP stacks in every switch, FlowMonitor on all
// nodes.
// Reads the same run spec on stdin; prints per-flow bytes, per-port drops and FlowMonitor's counts
// and delay sums as one JSON object. What the fabric must equal, and what its speed is held against.
#include "base/random_streams.h"
#include "spec/run_spec.h"
#include "topologies/dumbbell.h"
#include "topologies/fat_tree.h"
#include "topologies/incast.h"
#include "workloads/connections.h"
#include "workloads/transport.h"

#include "ns3/core-module.h"
#include "ns3/csma-helper.h"
#include "ns3/csma-net-device.h"
#include "ns3/flow-monitor-helper.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-flow-classifier.h"
#include "ns3/ipv4-global-routing-helper.h"
#include "ns3/neighbor-cache-helper.h"
#include "ns3/nix-vector-helper.h"
#include "ns3/nix-vector-routing.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/rng-seed-manager.h"

#include <iostream>
#include <map>
#include <memory>
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

QueueSize
SizeOf(const QueueLimit& limit)
{
    const auto unit = limit.unit == QueueLimit::Unit::Packets ? QueueSizeUnit::PACKETS
                                                              : QueueSizeUnit::BYTES;
    return {unit, limit.value};
}

/** Ordinary ns-3 nodes; devices are added in the order of the fabric's ports. */
class StockNetwork
{
  public:
    virtual ~StockNetwork() = default;

    Ipv4Address Address(uint32_t host) const
    {
        return m_hostAddresses[host];
    }

    NodeContainer hosts;
    std::map<std::string, uint64_t> drops;

  protected:
    /** One end of a link: its node, its name among the fabric's ports, and its queue. */
    struct End
    {
        Ptr<Node> node;
        std::string port;
        QueueConfig queue;
    };

    explicit StockNetwork(const Ipv4RoutingHelper& routing)
    {
        m_stack.SetIpv6StackInstall(false);
        m_stack.SetRoutingHelper(routing);
        m_addresses.SetBase("10.0.0.0", "255.255.255.0");
    }

    template <typename Device>
    void CountDrops(const Ptr<NetDevice>& device, const std::string& port)
    {
        drops[port] = 0;
        DynamicCast<Device>(device)->GetQueue()->TraceConnectWithoutContext(
            "Drop",
            Callback<void, Ptr<const Packet>>([this, port](Ptr<const Packet>) { ++drops[port]; }));
    }

    NetDeviceContainer Join(const LinkRate& link, const End& a, const End& b)
    {
        PointToPointHelper helper;
        helper.SetDeviceAttribute("DataRate", DataRateValue(link.rate));
        helper.SetChannelAttribute("Delay", TimeValue(link.delay));
        helper.DisableFlowControl();
        NetDeviceContainer devices = helper.Install(a.node, b.node);
        for (uint32_t i = 0; i < 2; ++i)
        {
            const End& end = i == 0 ? a : b;
            auto device = DynamicCast<PointToPointNetDevice>(devices.Get(i));
            device->GetQueue()->SetMaxSize(SizeOf(end.queue.limit));
            CountDrops<PointToPointNetDevice>(device, end.port);
        }
        return devices;
    }

    /** Join two nodes and give the ends addresses of a network of their own. */
    Ipv4InterfaceContainer Connect(const LinkRate& link, const End& a, const End& b)
    {
        const NetDeviceContainer devices = Join(link, a, b);
        m_addresses.NewNetwork();
        return m_addresses.Assign(devices);
    }

    InternetStackHelper m_stack;
    Ipv4AddressHelper m_addresses;
    std::vector<Ipv4Address> m_hostAddresses;
};

class StockFatTree final : public StockNetwork
{
  public:
    explicit StockFatTree(const FatTreeSpec& spec)
        : StockNetwork(Ipv4NixVectorHelper()),
          m_spec(spec),
          m_half(spec.k / 2)
    {
        hosts.Create(spec.k * m_half * m_half);
        m_edges.Create(spec.k * m_half);
        m_aggregations.Create(spec.k * m_half);
        m_cores.Create(m_half * m_half);
        m_stack.InstallAll();
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

  private:
    void MakePointToPointRacks()
    {
        for (uint32_t host = 0; host < hosts.GetN(); ++host)
        {
            const uint32_t rack = host / m_half;
            const auto port =
                Name("pod", rack / m_half, ".edge", rack % m_half, ".port", host % m_half);
            const auto interfaces =
                Connect(m_spec.hostLink,
                        {hosts.Get(host), Name("host", host, ".nic"), m_spec.hostQueue},
                        {m_edges.Get(rack), port, m_spec.edgeQueue});
            m_hostAddresses.push_back(interfaces.GetAddress(0));
        }
    }

    void MakeSharedRacks()
    {
        CsmaHelper segment;
        segment.SetChannelAttribute("DataRate", DataRateValue(m_spec.hostLink.rate));
        segment.SetChannelAttribute("Delay", TimeValue(m_spec.hostLink.delay));
        segment.SetQueue("ns3::DropTailQueue<Packet>",
                         "MaxSize",
                         QueueSizeValue(SizeOf(m_spec.hostQueue.limit)));
        segment.DisableFlowControl();
        int64_t stream = 1'000'000;
        for (uint32_t rack = 0; rack < m_edges.GetN(); ++rack)
        {
            NodeContainer stations;
            for (uint32_t i = 0; i < m_half; ++i)
            {
                stations.Add(hosts.Get(rack * m_half + i));
            }
            stations.Add(m_edges.Get(rack));
            NetDeviceContainer devices = segment.Install(stations);
            stream += segment.AssignStreams(devices, stream);
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
                    Connect(m_spec.aggregationLink,
                            {m_edges.Get(pod * m_half + edge),
                             Name("pod", pod, ".edge", edge, ".port", hostPorts + agg),
                             m_spec.edgeQueue},
                            {m_aggregations.Get(pod * m_half + agg),
                             Name("pod", pod, ".aggregation", agg, ".port", edge),
                             m_spec.aggregationQueue});
                }
            }
        }
        for (uint32_t pod = 0; pod < m_spec.k; ++pod)
        {
            for (uint32_t core = 0; core < m_cores.GetN(); ++core)
            {
                const uint32_t agg = core / m_half;
                Connect(m_spec.coreLink,
                        {m_aggregations.Get(pod * m_half + agg),
                         Name("pod", pod, ".aggregation", agg, ".port", m_half + core % m_half),
                         m_spec.aggregationQueue},
                        {m_cores.Get(core), Name("core", core, ".port", pod), m_spec.coreQueue});
            }
        }
    }

    FatTreeSpec m_spec;
    uint32_t m_half;
    NodeContainer m_edges;
    NodeContainer m_aggregations;
    NodeContainer m_cores;
};

class StockDumbbell final : public StockNetwork
{
  public:
    explicit StockDumbbell(const DumbbellSpec& spec)
        : StockNetwork(Ipv4GlobalRoutingHelper())
    {
        hosts.Create(2 * spec.pairs);
        NodeContainer routers;
        routers.Create(2);
        m_stack.InstallAll();
        for (uint32_t host = 0; host < 2 * spec.pairs; ++host)
        {
            const uint32_t side = host / spec.pairs;
            const auto port = Name(side == 0 ? "left" : "right", ".port", host % spec.pairs);
            const auto interfaces =
                Connect(spec.access,
                        {hosts.Get(host), Name("host", host, ".nic"), spec.accessQueue},
                        {routers.Get(side), port, spec.accessQueue});
            m_hostAddresses.push_back(interfaces.GetAddress(0));
        }
        const End left{routers.Get(0), "bottleneck", spec.queue};
        const End right{routers.Get(1), "bottleneck.reverse", spec.queue};
        const auto devices = Join(spec.bottleneck, left, right);
        m_addresses.NewNetwork();
        m_addresses.Assign(devices);
        if (spec.lossRate > 0)
        {
            auto errors = CreateObject<RateErrorModel>();
            errors->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
            errors->SetRate(spec.lossRate);
            errors->AssignStreams(streams::RANDOM_LOSS);
            devices.Get(1)->SetAttribute("ReceiveErrorModel", PointerValue(errors));
        }
        Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    }
};

class StockIncast final : public StockNetwork
{
  public:
    explicit StockIncast(const IncastTopologySpec& spec)
        : StockNetwork(Ipv4GlobalRoutingHelper())
    {
        hosts.Create(spec.servers + 1);
        auto center = CreateObject<Node>();
        m_stack.InstallAll();
        for (uint32_t host = 0; host <= spec.servers; ++host)
        {
            const bool client = host == spec.servers;
            const auto interfaces =
                Connect(client ? spec.clientLink : spec.link,
                        {hosts.Get(host), Name("host", host, ".nic"), spec.accessQueue},
                        {center,
                         client ? "bottleneck" : Name("switch.port", host),
                         client ? spec.queue : spec.accessQueue});
            m_hostAddresses.push_back(interfaces.GetAddress(0));
        }
        Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    }
};

std::unique_ptr<StockNetwork>
MakeStockNetwork(const TopologySpec& spec)
{
    if (const auto* tree = std::any_cast<FatTreeSpec>(&spec.parameters))
    {
        return std::make_unique<StockFatTree>(*tree);
    }
    if (const auto* dumbbell = std::any_cast<DumbbellSpec>(&spec.parameters))
    {
        return std::make_unique<StockDumbbell>(*dumbbell);
    }
    return std::make_unique<StockIncast>(std::any_cast<IncastTopologySpec>(spec.parameters));
}

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
    const auto network = MakeStockNetwork(spec.topology);
    FlowMonitorHelper helper; // before the workload, whose first SYNs it would miss otherwise
    const Ptr<FlowMonitor> monitor = helper.InstallAll();
    const auto schedule = DrawSchedule(*spec.workload, spec.topology, spec.durationNs);
    const Transport transport(spec.transport, spec.workload->Groups(), spec.topology, schedule);
    Connections connections(spec.warmupNs,
                            schedule,
                            transport,
                            {[&network](uint32_t host) { return network->hosts.Get(host); },
                             [&network](uint32_t host) { return network->Address(host); }});
    const auto traffic = spec.workload->Drive({connections, spec.transport, spec.topology});
    Simulator::Stop(NanoSeconds(spec.durationNs));
    Simulator::Run();

    nlohmann::ordered_json flows = nlohmann::ordered_json::array();
    for (const Delivery& delivery : connections.Deliveries())
    {
        flows.push_back({{"bytes", delivery.bytesTotal}, {"data", nullptr}, {"acks", nullptr}});
    }
    const auto classifier = DynamicCast<Ipv4FlowClassifier>(helper.GetClassifier());
    for (const auto& [id, stats] : monitor->GetFlowStats())
    {
        const auto tuple = classifier->FindFlow(id);
        const bool data = tuple.destinationPort >= Connections::FIRST_PORT &&
                          tuple.destinationPort < Connections::FIRST_PORT + schedule.flows.size();
        const uint16_t port = data ? tuple.destinationPort : tuple.sourcePort;
        flows[port - Connections::FIRST_PORT][data ? "data" : "acks"] = Counts(stats);
    }
    std::cout << nlohmann::ordered_json{{"flows", flows},
                                        {"drops", network->drops},
                                        {"events", Simulator::GetEventCount()}}
              << '\n';
    Simulator::Destroy();
}
