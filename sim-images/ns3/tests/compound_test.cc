// SPDX-License-Identifier: GPL-2.0-only
#include "congestion/tcp_compound.h"
#include "tests/scripted_socket.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace ns3;
using namespace windtunnel;

using Compound = ScriptedSocket<TcpCompound>;

// Slow start is Reno's: one segment an ACK, and no delay window.
TEST(Compound, DoublesInSlowStart)
{
    Compound socket(10);
    socket.Round(100);
    EXPECT_DOUBLE_EQ(socket.Cwnd(), 20);
    EXPECT_DOUBLE_EQ(socket.control->DelayWindow(), 0);
}

// Under 38 segments the sum grows as Reno does: by 1/win an ACK.
TEST(Compound, IsRenoUnderItsLowWindow)
{
    Compound socket(20, 20);
    socket.Ack(100);
    EXPECT_NEAR(socket.Cwnd(), 20 + 1 / 20.0, 1e-3);
    socket.Ack(100);
    EXPECT_NEAR(socket.Cwnd(), 20.05 + 1 / 20.05, 1e-3);
    for (int round = 0; round < 10; ++round)
    {
        socket.Round(100);
    }
    EXPECT_DOUBLE_EQ(socket.control->DelayWindow(), 0);
    EXPECT_NEAR(socket.Cwnd(), 30, 0.3); // a segment a round trip
}

// win = 101, no queue: dwnd += 0.125 * 101^0.75 - 1 = 0.125 * 31.859 - 1 = 2.982.
TEST(Compound, GrowsItsDelayWindowOncePerRoundTripWithoutAQueue)
{
    Compound socket(100, 100);
    socket.Acks(99, 100);
    EXPECT_DOUBLE_EQ(socket.control->DelayWindow(), 0);
    EXPECT_NEAR(socket.Cwnd(), 101, 0.02);
    socket.Ack(100); // of the last segment that was out when avoidance began
    EXPECT_NEAR(socket.control->DelayWindow(), 2.98, 0.01);
    socket.Acks(98, 100); // not again within this round, of the 99 that were out
    EXPECT_NEAR(socket.control->DelayWindow(), 2.98, 0.01);
    socket.Ack(100);
    EXPECT_GT(socket.control->DelayWindow(), 5.9);
}

// base 100 ms, round trip 125 ms, win W: diff = W (1 - 100/125) = 0.2 W >= 30: dwnd -= 0.2 W, not
// below 0.
TEST(Compound, RetreatsByTheBacklogAboveGamma)
{
    Compound socket(150, 150);
    for (int round = 0; round < 12; ++round)
    {
        socket.Round(100);
    }
    ASSERT_GT(socket.control->DelayWindow(), 60);
    socket.Round(125); // its first ACKs still end the round of 100 ms
    const double before = socket.control->DelayWindow();
    double window = socket.Cwnd();
    while (socket.control->DelayWindow() == before)
    {
        window = socket.Cwnd();
        socket.Ack(125);
    }
    EXPECT_NEAR(socket.control->DelayWindow(), before - 0.2 * window, 0.01);
    for (int round = 0; round < 10; ++round)
    {
        socket.Round(150);
    }
    EXPECT_DOUBLE_EQ(socket.control->DelayWindow(), 0);
}

// The round's smallest sample counts, and only ACKs in the open state give one.
TEST(Compound, TakesTheSmallestSampleOfTheRound)
{
    Compound socket(100, 100);
    socket.Round(100);
    socket.Ack(100); // growth of the first round; the next begins
    const double before = socket.control->DelayWindow();
    socket.Ack(100);
    socket.Round(200); // one sample of 100 ms among many of 200
    socket.Ack(200);
    EXPECT_GT(socket.control->DelayWindow(), before);
}

// cwnd = 100 + some, dwnd = d: after a loss the sum is halved, and dwnd = win/2 - cwnd/2 = dwnd/2.
TEST(Compound, HalvesTheSumOnALoss)
{
    Compound socket(100, 100);
    for (int round = 0; round < 6; ++round)
    {
        socket.Round(100);
    }
    const double loss = socket.control->LossWindow();
    const double delay = socket.control->DelayWindow();
    ASSERT_GT(delay, 5);
    socket.FastRetransmit();
    EXPECT_NEAR(socket.Cwnd(), (loss + delay) / 2, 1e-3);
    EXPECT_NEAR(socket.control->LossWindow(), loss / 2, 1e-9);
    EXPECT_NEAR(socket.control->DelayWindow(), delay / 2, 1e-9);
    socket.Ack(100); // and avoidance goes on, without slow start
    EXPECT_NEAR(socket.control->LossWindow(), loss / 2 + 2 / (loss + delay), 2e-3);
}

// One whole round after recovery passes before dwnd changes.
TEST(Compound, WaitsAFullRoundAfterRecovery)
{
    Compound socket(200, 200);
    for (int round = 0; round < 4; ++round)
    {
        socket.Round(100);
    }
    socket.FastRetransmit();
    const double delay = socket.control->DelayWindow();
    // Recovery ended with all acknowledged: the first ACK of the next flight begins the round, and
    // the ACK of that flight's last segment ends it.
    socket.Acks(socket.Outstanding() - 1, 100);
    EXPECT_DOUBLE_EQ(socket.control->DelayWindow(), delay);
    socket.Ack(100);
    EXPECT_NEAR(socket.control->DelayWindow(), delay + 0.125 * std::pow(socket.Cwnd(), 0.75) - 1,
                0.1);
}

// As TcpSocketBase has it: the ACK that ends a recovery also grows the window, while nothing is in
// flight. It does not begin the round: there is nothing that an ACK could cover.
TEST(Compound, WaitsForTheNextFlightAfterRecovery)
{
    Compound socket(200, 200);
    for (int round = 0; round < 4; ++round)
    {
        socket.Round(100);
    }
    const auto& tcb = socket.tcb;
    socket.control->CongestionStateSet(tcb, TcpSocketState::CA_RECOVERY);
    tcb->m_ssThresh = socket.control->GetSsThresh(tcb, tcb->m_cWnd);
    tcb->m_lastAckedSeq = tcb->m_nextTxSequence;
    socket.control->CongestionStateSet(tcb, TcpSocketState::CA_OPEN);
    tcb->m_cWnd = tcb->m_ssThresh.Get();
    socket.control->IncreaseWindow(tcb, 1);
    socket.SendWindow();
    const double delay = socket.control->DelayWindow();
    socket.Acks(socket.Outstanding() - 1, 100);
    EXPECT_DOUBLE_EQ(socket.control->DelayWindow(), delay);
    socket.Ack(100);
    EXPECT_GT(socket.control->DelayWindow(), delay);
}

// Something is in flight as the recovery ends, as with SACK: its ACK ends the round.
TEST(Compound, TakesWhatIsInFlightAfterRecoveryForItsRound)
{
    Compound socket(200, 200);
    for (int round = 0; round < 4; ++round)
    {
        socket.Round(100);
    }
    const auto& tcb = socket.tcb;
    socket.control->CongestionStateSet(tcb, TcpSocketState::CA_RECOVERY);
    tcb->m_ssThresh = socket.control->GetSsThresh(tcb, tcb->m_cWnd);
    tcb->m_lastAckedSeq = tcb->m_nextTxSequence.Get() - 50 * Compound::SEGMENT;
    socket.control->CongestionStateSet(tcb, TcpSocketState::CA_OPEN);
    tcb->m_cWnd = tcb->m_ssThresh.Get();
    const double delay = socket.control->DelayWindow();
    socket.Acks(49, 100);
    EXPECT_DOUBLE_EQ(socket.control->DelayWindow(), delay);
    socket.Ack(100);
    EXPECT_GT(socket.control->DelayWindow(), delay);
}

TEST(Compound, EndsItsDelayWindowOnATimeoutAndStartsSlowly)
{
    Compound socket(100, 100);
    for (int round = 0; round < 4; ++round)
    {
        socket.Round(100);
    }
    const double window = socket.Cwnd();
    socket.Timeout();
    EXPECT_NEAR(socket.Ssthresh(), window / 2, 1);
    EXPECT_DOUBLE_EQ(socket.control->DelayWindow(), 0);
    EXPECT_DOUBLE_EQ(socket.control->LossWindow(), 1);
    socket.LeaveLoss();
    socket.Ack(100);
    EXPECT_DOUBLE_EQ(socket.Cwnd(), 2);
    socket.Ack(100);
    EXPECT_DOUBLE_EQ(socket.Cwnd(), 3);
}

TEST(Compound, KeepsTwoSegmentsAtTheLeast)
{
    Compound socket(2, 2);
    socket.FastRetransmit();
    EXPECT_DOUBLE_EQ(socket.Cwnd(), 2);
    socket.FastRetransmit();
    EXPECT_DOUBLE_EQ(socket.Cwnd(), 2);
}

// dwnd falls under ssthresh by itself: that must not be taken for slow start.
TEST(Compound, DoesNotReturnToSlowStartWhenTheSumShrinks)
{
    Compound socket(150, 150);
    for (int round = 0; round < 12; ++round)
    {
        socket.Round(100);
    }
    socket.FastRetransmit();
    for (int round = 0; round < 3; ++round)
    {
        socket.Round(200);
    }
    ASSERT_LT(socket.Cwnd(), socket.Ssthresh());
    const double window = socket.Cwnd();
    const double delay = socket.control->DelayWindow();
    socket.Ack(200);
    EXPECT_LT(socket.Cwnd() - (socket.control->DelayWindow() - delay), window + 0.1);
}
