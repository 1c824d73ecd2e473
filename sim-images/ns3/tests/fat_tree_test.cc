// SPDX-License-Identifier: GPL-2.0-only
#include "topologies/fat_tree.h"
#include "topologies/fat_tree_routing.h"

#include "ns3/ipv4-header.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"

#include <gtest/gtest.h>

#include <map>
#include <queue>
#include <set>

using namespace ns3;
using namespace windtunnel;

namespace
{

FatTreeSpec
SpecOf(uint32_t k, FatTreeSpec::Routing routing = FatTreeSpec::Routing::SinglePath)
{
    const LinkRate link{DataRate("100Mbps"), MicroSeconds(1)};
    return {.k = k,
            .rack = FatTreeSpec::Rack::PointToPoint,
            .routing = routing,
            .hostLink = link,
            .aggregationLink = link,
            .coreLink = link,
            .hostQueue = {},
            .edgeQueue = {},
            .aggregationQueue = {},
            .coreQueue = {}};
}

/** Vertices of a fat-tree as a plain graph, written from its definition, not from FatTree's code. */
struct Graph
{
    explicit Graph(uint32_t k)
        : k(k),
          half(k / 2)
    {
        for (uint32_t pod = 0; pod < k; ++pod)
        {
            for (uint32_t e = 0; e < half; ++e)
            {
                for (uint32_t h = 0; h < half; ++h)
                {
                    Join(Host(pod, e, h), Edge(pod, e));
                }
                for (uint32_t a = 0; a < half; ++a)
                {
                    Join(Edge(pod, e), Aggregation(pod, a));
                }
            }
            for (uint32_t a = 0; a < half; ++a)
            {
                for (uint32_t c = 0; c < half; ++c)
                {
                    Join(Aggregation(pod, a), Core(a * half + c));
                }
            }
        }
    }

    std::string Host(uint32_t pod, uint32_t e, uint32_t h) const
    {
        return "h" + std::to_string((pod * half + e) * half + h);
    }

    std::string Edge(uint32_t pod, uint32_t e) const
    {
        return "e" + std::to_string(pod) + "." + std::to_string(e);
    }

    std::string Aggregation(uint32_t pod, uint32_t a) const
    {
        return "a" + std::to_string(pod) + "." + std::to_string(a);
    }

    std::string Core(uint32_t c) const
    {
        return "c" + std::to_string(c);
    }

    void Join(const std::string& a, const std::string& b)
    {
        neighbors[a].insert(b);
        neighbors[b].insert(a);
    }

    std::map<std::string, uint32_t> Distances(const std::string& from) const
    {
        std::map<std::string, uint32_t> distance{{from, 0}};
        std::queue<std::string> open({from});
        while (!open.empty())
        {
            const std::string at = open.front();
            open.pop();
            for (const std::string& next : neighbors.at(at))
            {
                if (distance.emplace(next, distance[at] + 1).second)
                {
                    open.push(next);
                }
            }
        }
        return distance;
    }

    uint32_t k;
    uint32_t half;
    std::map<std::string, std::set<std::string>> neighbors;
};

/** A packet from one host to another as a switch sees it: IPv4 header, then TCP's ports. */
Ptr<Packet>
PacketBetween(const FatTree& tree, uint32_t from, uint32_t to, uint16_t sourcePort)
{
    const std::array<uint8_t, 20> tcp{uint8_t(sourcePort >> 8), uint8_t(sourcePort), 19, 136};
    auto packet = Create<Packet>(tcp.data(), tcp.size());
    Ipv4Header header;
    header.SetSource(tree.Address(from));
    header.SetDestination(tree.Address(to));
    header.SetProtocol(6);
    header.SetPayloadSize(packet->GetSize());
    packet->AddHeader(header);
    return packet;
}

/** Follows the routing functions over the plain graph; the vertices after the sender. */
std::vector<std::string>
Walk(const FatTree& tree, const Graph& graph, const FatTreeRouting& routing, uint32_t from,
     uint32_t to, uint16_t sourcePort)
{
    const FlowKey key(*PacketBetween(tree, from, to, sourcePort));
    const HostPosition start = tree.Position(from);
    std::vector<std::string> path;
    uint32_t pod = start.pod;
    uint32_t edge = start.edge;
    path.push_back(graph.Edge(pod, edge));
    uint32_t port = routing.ForEdge(pod, edge)->EgressPort(key);
    if (port >= graph.half)
    {
        uint32_t agg = port - graph.half;
        path.push_back(graph.Aggregation(pod, agg));
        port = routing.ForAggregation(pod, agg)->EgressPort(key);
        if (port >= graph.half)
        {
            const uint32_t core = agg * graph.half + port - graph.half;
            path.push_back(graph.Core(core));
            pod = routing.ForCore()->EgressPort(key);
            agg = core / graph.half;
            path.push_back(graph.Aggregation(pod, agg));
            port = routing.ForAggregation(pod, agg)->EgressPort(key);
        }
        edge = port;
        path.push_back(graph.Edge(pod, edge));
        port = routing.ForEdge(pod, edge)->EgressPort(key);
    }
    path.push_back(graph.Host(pod, edge, port));
    return path;
}

} // namespace

// CFI'16, Table 2: k = 6 has 54 hosts, 18 edge, 18 aggregation and 9 core switches of 6 ports.
TEST(FatTree, HasTheCountsOfTheStudysTable2)
{
    const FatTree tree(SpecOf(6), 1);
    std::map<std::string, uint32_t> portsOfSwitch;
    for (const Port& port : tree.Ports())
    {
        ++portsOfSwitch[port.name.substr(0, port.name.rfind('.'))];
    }
    std::map<std::string, uint32_t> count;
    for (const auto& [name, ports] : portsOfSwitch)
    {
        const std::string kind = name.starts_with("host")                       ? "host"
                                 : name.find("edge") != std::string::npos       ? "edge"
                                 : name.find("aggregation") != std::string::npos ? "aggregation"
                                                                                : "core";
        ++count[kind];
        EXPECT_EQ(ports, kind == "host" ? 1U : 6U) << name;
    }
    EXPECT_EQ(tree.HostCount(), 54U);
    EXPECT_EQ(count["host"], 54U);
    EXPECT_EQ(count["edge"], 18U);
    EXPECT_EQ(count["aggregation"], 18U);
    EXPECT_EQ(count["core"], 9U);
    Simulator::Destroy();
}

class Routing : public testing::TestWithParam<FatTreeSpec::Routing>
{
};

TEST_P(Routing, TakesAShortestPathBetweenEveryPairOfHosts)
{
    const uint32_t k = 4;
    const FatTree tree(SpecOf(k), 1);
    const Graph graph(k);
    const FatTreeRouting routing{k, GetParam(), FatTreeSpec::Rack::PointToPoint, 1};
    for (uint32_t from = 0; from < tree.HostCount(); ++from)
    {
        const std::string start = "h" + std::to_string(from);
        const auto distances = graph.Distances(start);
        for (uint32_t to = 0; to < tree.HostCount(); ++to)
        {
            if (from == to)
            {
                continue;
            }
            const auto path = Walk(tree, graph, routing, from, to, 49153);
            const std::string target = "h" + std::to_string(to);
            EXPECT_EQ(path.back(), target);
            EXPECT_EQ(path.size(), distances.at(target)) << from << " to " << to;
            const FlowKey key(tree.Address(from), 49153, tree.Address(to), 5000);
            EXPECT_EQ(tree.PathOf(from, key).links.size(), path.size());
            std::string at = start;
            for (const std::string& next : path)
            {
                EXPECT_TRUE(graph.neighbors.at(at).contains(next)) << at << " to " << next;
                at = next;
            }
        }
    }
    Simulator::Destroy();
}

INSTANTIATE_TEST_SUITE_P(FatTree,
                         Routing,
                         testing::Values(FatTreeSpec::Routing::SinglePath,
                                         FatTreeSpec::Routing::EcmpFlow,
                                         FatTreeSpec::Routing::EcmpPacket));

namespace
{

std::set<std::string>
CoresUsed(FatTreeSpec::Routing kind)
{
    const uint32_t k = 4;
    const FatTree tree(SpecOf(k), 1);
    const Graph graph(k);
    const FatTreeRouting routing{k, kind, FatTreeSpec::Rack::PointToPoint, 1};
    std::set<std::string> cores;
    for (uint32_t from = 0; from < tree.HostCount(); ++from)
    {
        for (uint32_t to = 0; to < tree.HostCount(); ++to)
        {
            if (tree.Position(from).pod != tree.Position(to).pod)
            {
                cores.insert(Walk(tree, graph, routing, from, to, 49153)[2]);
            }
        }
    }
    Simulator::Destroy();
    return cores;
}

} // namespace

TEST(FatTree, UsesOneCoreUnderSinglePath)
{
    EXPECT_EQ(CoresUsed(FatTreeSpec::Routing::SinglePath), (std::set<std::string>{"c0"}));
}

TEST(FatTree, UsesEveryCoreUnderEcmpFlow)
{
    EXPECT_EQ(CoresUsed(FatTreeSpec::Routing::EcmpFlow),
              (std::set<std::string>{"c0", "c1", "c2", "c3"}));
}

TEST(FatTree, KeepsAFlowOnOnePathAndSpreadsFlowsByTheirPorts)
{
    const uint32_t k = 4;
    const FatTree tree(SpecOf(k), 1);
    const Graph graph(k);
    const FatTreeRouting routing{k, FatTreeSpec::Routing::EcmpFlow,
                                 FatTreeSpec::Rack::PointToPoint, 1};
    std::map<std::string, uint32_t> flows;
    for (uint16_t port = 49153; port < 49153 + 400; ++port)
    {
        const auto path = Walk(tree, graph, routing, 0, 15, port);
        EXPECT_EQ(path, Walk(tree, graph, routing, 0, 15, port));
        ++flows[path[2]];
    }
    // 400 flows over 4 cores: 100 expected each, standard deviation sqrt(400 * 1/4 * 3/4) = 8.7.
    for (const auto& [core, count] : flows)
    {
        EXPECT_NEAR(count, 100, 5 * 8.7) << core;
    }
    EXPECT_EQ(flows.size(), 4U);
    Simulator::Destroy();
}

// Between pods of k = 4 a packet takes one of two aggregation switches up, and then one of two cores.
TEST(FatTree, SpreadsPacketsEvenlyOverEveryWayUnderEcmpPacket)
{
    const FatTree tree(SpecOf(4, FatTreeSpec::Routing::EcmpPacket), 1);
    const FlowKey key(tree.Address(0), 49153, tree.Address(15), 5000);
    std::map<std::string, double> shares;
    for (const Path::Hop& hop : tree.PathOf(0, key).hops)
    {
        shares[tree.Ports()[hop.port].name] = hop.share;
    }
    const std::map<std::string, double> expected{
        {"host0.nic", 1},
        {"pod0.edge0.port2", 0.5},        {"pod0.edge0.port3", 0.5},
        {"pod0.aggregation0.port2", 0.25}, {"pod0.aggregation0.port3", 0.25},
        {"pod0.aggregation1.port2", 0.25}, {"pod0.aggregation1.port3", 0.25},
        {"core0.port3", 0.25},             {"core1.port3", 0.25},
        {"core2.port3", 0.25},             {"core3.port3", 0.25},
        {"pod3.aggregation0.port1", 0.5},  {"pod3.aggregation1.port1", 0.5},
        {"pod3.edge1.port1", 1}};
    EXPECT_EQ(shares, expected);

    const FatTreeRouting routing{4, FatTreeSpec::Routing::EcmpPacket,
                                 FatTreeSpec::Rack::PointToPoint, 1};
    const auto edge = routing.ForEdge(0, 0);
    uint32_t first = 0;
    for (uint32_t packet = 0; packet < 1000; ++packet)
    {
        first += edge->EgressPort(key) == 2 ? 1 : 0;
    }
    EXPECT_NEAR(first, 500, 5 * 15.8); // standard deviation sqrt(1000)/2
    Simulator::Destroy();
}
