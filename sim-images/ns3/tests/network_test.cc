// SPDX-License-Identifier: GPL-2.0-only
#include "topologies/dumbbell.h"
#include "topologies/incast.h"

#include "ns3/simulator.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace windtunnel;

namespace
{

const LinkRate ACCESS{DataRate("100Mbps"), MicroSeconds(10)};
const LinkRate BOTTLENECK{DataRate("10Mbps"), MilliSeconds(5)};

std::vector<std::string>
PortsOf(const Network& network, uint32_t from, uint32_t to)
{
    const FlowKey key(network.Address(from), 49153, network.Address(to), 5000);
    std::vector<std::string> names;
    for (const Path::Hop& hop : network.PathOf(from, key).hops)
    {
        EXPECT_EQ(hop.share, 1);
        names.push_back(network.Ports()[hop.port].name);
    }
    return names;
}

} // namespace

TEST(Dumbbell, LeadsFromASenderOverTheBottleneckToAReceiverAndBack)
{
    const Dumbbell dumbbell({.pairs = 3,
                             .access = ACCESS,
                             .bottleneck = BOTTLENECK,
                             .lossRate = 0,
                             .queue = {},
                             .accessQueue = {}});
    EXPECT_EQ(dumbbell.HostCount(), 6U);
    using Names = std::vector<std::string>;
    EXPECT_EQ(PortsOf(dumbbell, 1, 5), (Names{"host1.nic", "bottleneck", "right.port2"}));
    EXPECT_EQ(PortsOf(dumbbell, 5, 1), (Names{"host5.nic", "bottleneck.reverse", "left.port1"}));
    EXPECT_EQ(PortsOf(dumbbell, 0, 2), (Names{"host0.nic", "left.port2"}));
    Simulator::Destroy();
}

TEST(Incast, LeadsFromAServerToTheClientAndBack)
{
    const Incast incast({.servers = 4,
                         .link = ACCESS,
                         .clientLink = BOTTLENECK,
                         .queue = {},
                         .accessQueue = {}});
    EXPECT_EQ(incast.HostCount(), 5U);
    using Names = std::vector<std::string>;
    EXPECT_EQ(PortsOf(incast, 2, 4), (Names{"host2.nic", "bottleneck"}));
    EXPECT_EQ(PortsOf(incast, 4, 3), (Names{"host4.nic", "switch.port3"}));
    Simulator::Destroy();
}

// 1500 + 2 bytes: 120.16 us at 100 Mb/s, 1201.6 us at 10 Mb/s.
TEST(Path, KnowsTheLeastDelayOfAPacket)
{
    const Dumbbell dumbbell({.pairs = 1,
                             .access = ACCESS,
                             .bottleneck = BOTTLENECK,
                             .lossRate = 0,
                             .queue = {},
                             .accessQueue = {}});
    const FlowKey key(dumbbell.Address(0), 49153, dumbbell.Address(1), 5000);
    const Path path = dumbbell.PathOf(0, key);
    EXPECT_EQ(path.PropagationNs(), 10'000 + 5'000'000 + 10'000);
    EXPECT_EQ(path.DelayFloorNs(1500), 5'020'000 + 120'160 + 1'201'600 + 120'160);
    EXPECT_EQ(path.SlowestBps(), 10'000'000U);
    Simulator::Destroy();
}
