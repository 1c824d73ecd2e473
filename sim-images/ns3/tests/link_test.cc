// SPDX-License-Identifier: GPL-2.0-only
#include "fabric/link.h"

#include "ns3/ipv4-header.h"
#include "ns3/simulator.h"

#include <gtest/gtest.h>

#include <algorithm>
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
        QueueConfig queue;
        queue.limit = limit;
        Make(queue, rateBps, delayNs);
    }

    void Make(const QueueConfig& queue, uint64_t rateBps, int64_t delayNs)
    {
        const LinkConfig config{{DataRate(rateBps), NanoSeconds(delayNs)}, queue};
        near = CreateObject<Link>(config, 0);
        far = CreateObject<Link>(config, 1);
        Link::Connect(*near, *far);
        far->SetReceiveCallback(
            Callback<bool, Ptr<NetDevice>, Ptr<const Packet>, uint16_t, const Address&>(
                [this](Ptr<NetDevice>, Ptr<const Packet> packet, uint16_t, const Address&) {
                    arrivals.push_back(Simulator::Now().GetNanoSeconds());
                    Ipv4Header header;
                    marked.push_back(packet->PeekHeader(header) > 0 &&
                                     header.GetEcn() == Ipv4Header::ECN_CE);
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

    /** Packets of 1000 IP bytes from a sender that speaks ECN, or from one that does not. */
    void OfferIp(uint32_t packets, Ipv4Header::EcnType ecn)
    {
        for (uint32_t i = 0; i < packets; ++i)
        {
            auto packet = Create<Packet>(980);
            Ipv4Header header;
            header.SetSource("10.0.0.1");
            header.SetDestination("10.0.0.2");
            header.SetProtocol(6);
            header.SetPayloadSize(980);
            header.SetEcn(ecn);
            packet->AddHeader(header);
            near->Transmit(packet);
        }
    }

    void TearDown() override
    {
        Simulator::Destroy();
    }

    Ptr<Link> near;
    Ptr<Link> far;
    std::vector<int64_t> arrivals;
    std::vector<bool> marked;
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
    Offer(1, 1500);
    Simulator::Run();
    EXPECT_EQ(arrivals.at(0),
              DataRate(6'000'000).CalculateBytesTxTime(1502).GetNanoSeconds());
}

// K = 2: the first packet goes out at once, the next three find 0, 1, 2 waiting, the fifth 3.
TEST_F(LinkTest, MarksPacketsThatFindMoreThanKWaiting)
{
    QueueConfig queue{.kind = "threshold-ecn"};
    queue.limit = {QueueLimit::Unit::Packets, 4};
    queue.ecnThreshold = QueueLimit{QueueLimit::Unit::Packets, 2};
    Make(queue, 100'000'000, 0);
    OfferIp(6, Ipv4Header::ECN_ECT0); // the sixth finds 4: dropped
    Simulator::Run();
    EXPECT_EQ(marked, (std::vector<bool>{false, false, false, false, true}));
    EXPECT_EQ(near->Meter().total.markedPackets, 1U);
    EXPECT_EQ(near->Meter().total.droppedPackets, 1U);
}

TEST_F(LinkTest, DoesNotMarkPacketsOfSendersWithoutEcn)
{
    QueueConfig queue{.kind = "threshold-ecn"};
    queue.ecnThreshold = QueueLimit{QueueLimit::Unit::Packets, 0};
    Make(queue, 100'000'000, 0);
    OfferIp(4, Ipv4Header::ECN_NotECT);
    Simulator::Run();
    EXPECT_EQ(std::count(marked.begin(), marked.end(), true), 0);
    EXPECT_EQ(near->Meter().total.markedPackets, 0U);
}

// 1002 bytes at 100 Mb/s are 80.16 us: a burst of 400 fills a queue for 32 ms, and CoDel with a
// target of 1 ms begins to drop an interval of 5 ms after it was first above it.
TEST_F(LinkTest, HoldsAQueueDiscAndCountsWhatItDrops)
{
    QueueConfig queue{.kind = "codel"};
    queue.limit = {QueueLimit::Unit::Packets, 1000};
    queue.attributes = {{"UseEcn", false}, {"Target", "1000000ns"}, {"Interval", "5000000ns"}};
    Make(queue, 100'000'000, 0);
    OfferIp(400, Ipv4Header::ECN_NotECT);
    EXPECT_EQ(near->Meter().Length(), 399U); // one in transmission
    Simulator::Run();
    const auto& total = near->Meter().total;
    EXPECT_GT(total.droppedPackets, 0U);
    EXPECT_LT(total.droppedPackets, 100U);
    EXPECT_EQ(total.offeredPackets, total.droppedPackets + total.sentPackets);
    EXPECT_EQ(arrivals.size(), total.deliveredPackets);
    EXPECT_EQ(near->Meter().Length(), 0U);
}

TEST_F(LinkTest, MarksInsteadOfDroppingWhereADiscDoes)
{
    QueueConfig queue{.kind = "codel"};
    queue.limit = {QueueLimit::Unit::Packets, 1000};
    queue.attributes = {{"UseEcn", true}, {"Target", "1000000ns"}, {"Interval", "5000000ns"}};
    Make(queue, 100'000'000, 0);
    OfferIp(400, Ipv4Header::ECN_ECT0);
    Simulator::Run();
    const auto& total = near->Meter().total;
    EXPECT_EQ(total.droppedPackets, 0U);
    EXPECT_GT(total.markedPackets, 0U);
    EXPECT_EQ(std::count(marked.begin(), marked.end(), true), total.markedPackets);
}

TEST_F(LinkTest, LosesAtRandomAndCountsItApart)
{
    Make({QueueLimit::Unit::Packets, 10'000}, 1'000'000'000, 0);
    auto errors = CreateObject<RateErrorModel>();
    errors->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
    errors->SetRate(0.1);
    errors->AssignStreams(7);
    near->SetErrorModel(errors);
    Offer(10'000, 100);
    Simulator::Run();
    const auto& total = near->Meter().total;
    EXPECT_NEAR(total.lostPackets, 1000, 5 * 30); // standard deviation sqrt(10,000 * 0.1 * 0.9)
    EXPECT_EQ(total.lostPackets + total.deliveredPackets, 10'000U);
    EXPECT_EQ(arrivals.size(), total.deliveredPackets);
    EXPECT_EQ(total.droppedPackets, 0U);
    EXPECT_EQ(near->InFlight(), 0U);
}
