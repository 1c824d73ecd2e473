// SPDX-License-Identifier: GPL-2.0-only
#include "fabric/link.h"

#include "ns3/ipv4-header.h"
#include "ns3/simulator.h"

#include <gtest/gtest.h>

#include <vector>

using namespace ns3;
using namespace windtunnel;

namespace
{

/** Two ends of a link; what arrives at the second is noted with its instant. */
class LinkTest : public testing::Test
{
  protected:
    void Make(QueueLimit limit, uint64_t rateBps, int64_t delayNs)
    {
        const LinkConfig config{DataRate(rateBps), NanoSeconds(delayNs), limit};
        near = CreateObject<Link>(config, 0);
        far = CreateObject<Link>(config, 1);
        Link::Connect(*near, *far);
        far->SetReceiveCallback(
            Callback<bool, Ptr<NetDevice>, Ptr<const Packet>, uint16_t, const Address&>(
                [this](Ptr<NetDevice>, Ptr<const Packet> packet, uint16_t, const Address&) {
                    arrivals.push_back(Simulator::Now().GetNanoSeconds());
                    return true;
                }));
    }

    void Offer(uint32_t packets, uint32_t bytes)
    {
        for (uint32_t i = 0; i < packets; ++i)
        {
            near->Transmit(Create<Packet>(bytes));
        }
    }

    void TearDown() override
    {
        Simulator::Destroy();
    }

    Ptr<Link> near;
    Ptr<Link> far;
    std::vector<int64_t> arrivals;
};

} // namespace

// 1498 + 2 bytes at 100 Mb/s are 120 us on the wire; 1 us to propagate.
TEST_F(LinkTest, DeliversAfterSerializationAndPropagation)
{
    Make({QueueLimit::Unit::Packets, 10}, 100'000'000, 1000);
    Offer(3, 1498);
    Simulator::Run();
    EXPECT_EQ(arrivals, (std::vector<int64_t>{121'000, 241'000, 361'000}));
}

TEST_F(LinkTest, DropsWhatExceedsThePacketLimitWhileOneIsInTransmission)
{
    Make({QueueLimit::Unit::Packets, 2}, 100'000'000, 0);
    Offer(5, 1000);
    EXPECT_EQ(near->Meter().Length(), 2U);
    Simulator::Run();
    const auto& total = near->Meter().total;
    EXPECT_EQ(total.offeredPackets, 5U);
    EXPECT_EQ(total.droppedPackets, 2U);
    EXPECT_EQ(total.sentPackets, 3U);
    EXPECT_EQ(total.deliveredPackets, 3U);
    EXPECT_EQ(near->InFlight(), 0U);
}

// Two waiting packets of 998 + 2 bytes of framing fill 2000 bytes exactly.
TEST_F(LinkTest, CountsFramingInAByteLimit)
{
    Make({QueueLimit::Unit::Bytes, 2000}, 100'000'000, 0);
    Offer(4, 998);
    EXPECT_EQ(near->Meter().Length(), 2U);
    EXPECT_EQ(near->Meter().total.droppedPackets, 1U);
    Simulator::Run();
    Make({QueueLimit::Unit::Bytes, 1999}, 100'000'000, 0);
    Offer(4, 998);
    EXPECT_EQ(near->Meter().Length(), 1U);
    Simulator::Run();
}

// A byte-limited queue of many small packets outgrows its first ring.
TEST_F(LinkTest, KeepsOrderWhenItsRingGrows)
{
    Make({QueueLimit::Unit::Bytes, 1'000'000}, 1'000'000'000, 0);
    Offer(500, 40);
    Simulator::Run();
    ASSERT_EQ(arrivals.size(), 500U);
    EXPECT_TRUE(std::is_sorted(arrivals.begin(), arrivals.end()));
}

TEST_F(LinkTest, RoundsSerializationAsNs3Does)
{
    Make({QueueLimit::Unit::Packets, 1}, 6'000'000, 0);
    EXPECT_EQ(near->SerializationTime(1500), DataRate(6'000'000).CalculateBytesTxTime(1502));
}
