// SPDX-License-Identifier: GPL-2.0-only
#include "probes/tcp_probe.h"

#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/tcp-bbr.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-yeah.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace windtunnel;

namespace
{

/** A sending socket whose window and state are set by hand. */
class ScriptedSender : public TcpSender
{
  public:
    void SetCwnd(uint32_t bytes)
    {
        m_tcb->m_cWnd = bytes;
    }

    void SetSsthresh(uint32_t bytes)
    {
        m_tcb->m_ssThresh = bytes;
    }

    void SetState(TcpSocketState::TcpCongState_t state)
    {
        m_tcb->m_congState = state;
    }
};

/** A probe of two flows; scripts run at whole seconds, and the simulation ends at 4 s. */
class TcpProbeTest : public testing::Test
{
  protected:
    TcpProbeTest()
    {
        for (uint32_t flow = 0; flow < 2; ++flow)
        {
            sender[flow] = CreateObject<ScriptedSender>();
            sender[flow]->SetAttribute("SegmentSize", UintegerValue(1000));
            sender[flow]->SetAttribute("InitialSlowStartThreshold", UintegerValue(1));
            sender[flow]->SetCongestionControlAlgorithm(CreateObject<TcpNewReno>());
            probe.Observe(flow, sender[flow]);
        }
    }

    ~TcpProbeTest() override
    {
        Simulator::Destroy();
    }

    static void At(int seconds, const std::function<void()>& action)
    {
        Simulator::Schedule(Seconds(seconds), action);
    }

    TcpCounters AtTheEnd(uint32_t flow)
    {
        Simulator::Stop(Seconds(4));
        Simulator::Run();
        return probe.Since(flow, Seconds(4).GetNanoSeconds());
    }

    TcpProbe probe{2};
    /** What the probe blames once flow 1 has a window of ten segments and then a loss. */
    std::string FaultAtALoss(uint32_t ssthresh)
    {
        sender[1]->SetCwnd(10'000);
        sender[1]->SetSsthresh(1); // as a spec may set it
        sender[1]->SetState(TcpSocketState::CA_RECOVERY);
        sender[1]->SetSsthresh(ssthresh);
        return probe.Fault() ? probe.Fault()->what : "";
    }

    Ptr<ScriptedSender> sender[2];
};

} // namespace

// 9000 bytes for one second, then nothing for two: a mean of 3000 over the three.
TEST_F(TcpProbeTest, CountsTheTimeAtAWindowOfZero)
{
    At(1, [this] { sender[0]->SetCwnd(9000); });
    At(2, [this] { sender[0]->SetCwnd(0); });
    EXPECT_DOUBLE_EQ(AtTheEnd(0).meanCwndBytes.value(), 3000);
}

TEST_F(TcpProbeTest, HasNoMeanOfAFlowThatIsNotOpen)
{
    At(1, [this] { sender[0]->SetCwnd(9000); });
    EXPECT_FALSE(AtTheEnd(1).meanCwndBytes.has_value());
}

// The flow connects again at 2 s: its second connection has a window from 3 s on.
TEST_F(TcpProbeTest, LeavesOutTheHandshakeOfALaterConnection)
{
    auto second = CreateObject<ScriptedSender>();
    At(1, [this] { sender[0]->SetCwnd(9000); });
    At(2, [&] {
        probe.Observe(0, second);
        EXPECT_EQ(probe.CwndBytes(0), 0U);
    });
    At(3, [second] { second->SetCwnd(1000); });
    EXPECT_DOUBLE_EQ(AtTheEnd(0).meanCwndBytes.value(), 5000);
}

// Windows of 0 and 9000: the deviation is as large as the mean.
TEST_F(TcpProbeTest, VariationTakesAWindowOfZeroForAWindow)
{
    sender[0]->SetCwnd(9000);
    EXPECT_LT(probe.WindowVariation(), 0); // one window only
    sender[1]->SetCwnd(1000);
    sender[1]->SetCwnd(0);
    EXPECT_DOUBLE_EQ(probe.WindowVariation(), 1);
    sender[0]->SetCwnd(0);
    EXPECT_DOUBLE_EQ(probe.WindowVariation(), 0);
}

TEST_F(TcpProbeTest, CountsFastRecoveriesSinceTheWarmUp)
{
    const auto recover = [this] {
        sender[0]->SetState(TcpSocketState::CA_DISORDER);
        sender[0]->SetState(TcpSocketState::CA_RECOVERY);
        sender[0]->SetState(TcpSocketState::CA_OPEN);
    };
    At(0, recover);
    At(1, [this] { probe.BeginMeasurement(Simulator::Now().GetNanoSeconds()); });
    At(2, recover);
    At(3, [this] { sender[0]->SetState(TcpSocketState::CA_LOSS); });
    At(3, recover);
    EXPECT_EQ(AtTheEnd(0).fastRecoveries, 2U);
    EXPECT_EQ(AtTheEnd(1).fastRecoveries, 0U);
}

TEST_F(TcpProbeTest, BlamesAThresholdOfLessThanHalfASegmentAfterALoss)
{
    EXPECT_EQ(FaultAtALoss(499), "a slow start threshold of 499 B");
    EXPECT_EQ(probe.Fault()->flow, 1U);
}

TEST_F(TcpProbeTest, BlamesAThresholdOfZero)
{
    EXPECT_EQ(FaultAtALoss(0), "a slow start threshold of 0 B");
}

// ns-3's DCTCP: half of a window of one segment, and less where the window was smaller.
TEST_F(TcpProbeTest, AcceptsAThresholdThatHalvesASmallWindow)
{
    EXPECT_EQ(FaultAtALoss(500), "");
    sender[1]->SetCwnd(900);
    sender[1]->SetSsthresh(450);
    EXPECT_FALSE(probe.Fault());
}

// Two segments less than nothing in flight, in 32 bits.
TEST_F(TcpProbeTest, BlamesAThresholdThatUnderflows)
{
    EXPECT_EQ(FaultAtALoss(0U - 2000), "a slow start threshold of 4294965296 B");
}

TEST_F(TcpProbeTest, KnowsTheUnderflowOfNs3sYeah)
{
    sender[1]->SetCongestionControlAlgorithm(CreateObject<TcpYeah>());
    EXPECT_EQ(FaultAtALoss(0U - 2000), "");
    sender[1]->SetState(TcpSocketState::CA_OPEN);
    sender[1]->SetCwnd(0U - 2000); // by the socket, as the recovery ends
    EXPECT_FALSE(probe.Fault());
}

TEST_F(TcpProbeTest, KnowsTheWindowThatNs3sBbrRestores)
{
    sender[0]->SetCongestionControlAlgorithm(CreateObject<TcpBbr>());
    sender[0]->SetCwnd(10'000);
    sender[0]->SetSsthresh(20'000);
    sender[0]->SetCwnd(UINT32_MAX);
    EXPECT_FALSE(probe.Fault());
}

TEST_F(TcpProbeTest, BlamesAWindowOfZeroOutsideRecoveries)
{
    sender[0]->SetSsthresh(8000);
    sender[0]->SetCwnd(10'000);
    sender[0]->SetState(TcpSocketState::CA_RECOVERY);
    sender[0]->SetCwnd(0); // ns-3's recovery does
    EXPECT_FALSE(probe.Fault());
    sender[0]->SetState(TcpSocketState::CA_OPEN);
    sender[0]->SetCwnd(10'000);
    At(3, [this] { sender[0]->SetCwnd(0); });
    AtTheEnd(0);
    ASSERT_TRUE(probe.Fault());
    EXPECT_EQ(probe.Fault()->what, "a congestion window of 0 B");
    EXPECT_EQ(probe.Fault()->atNs, 3'000'000'000);
}

TEST_F(TcpProbeTest, BlamesAWindowThatJumpsBy2ToThe31)
{
    sender[0]->SetCwnd(10'000);
    sender[0]->SetCwnd(0U - 5000);
    ASSERT_TRUE(probe.Fault());
    EXPECT_EQ(probe.Fault()->what, "a congestion window of 4294962296 B");
}

// Slow start without losses, behind a small receive buffer.
TEST_F(TcpProbeTest, AcceptsAWindowThatHasGrownLarge)
{
    for (uint32_t bytes = 1000; bytes < 3'000'000'000; bytes += bytes / 2)
    {
        sender[0]->SetCwnd(bytes);
    }
    EXPECT_FALSE(probe.Fault());
}
