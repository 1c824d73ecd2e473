// SPDX-License-Identifier: GPL-2.0-only
#include "congestion/tcp_dc_vegas.h"
#include "tests/scripted_socket.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace windtunnel;

using DcVegas = ScriptedSocket<TcpDcVegas>;

namespace
{

/** A socket in avoidance with a window of 20 whose base RTT of 100 ms is known. */
DcVegas
InAvoidance()
{
    DcVegas socket(20, 20);
    socket.Ack(100); // the first evaluation: one sample, delta = 0: succ = 1, incr = 2/20
    return socket;
}

/** RTT that gives delta at a window: delta = w (1 - base/rtt). */
double
RttFor(double delta, double window)
{
    return 100 / (1 - delta / window);
}

} // namespace

// Equation 5: +1.5 segments an ACK; 2 -> 5 -> 12.5.
TEST(DcVegas, AddsOneAndAHalfSegmentsAnAckInSlowStart)
{
    DcVegas socket(2);
    socket.Ack(100);
    EXPECT_DOUBLE_EQ(socket.Cwnd(), 3.5);
    socket.Ack(100);
    EXPECT_DOUBLE_EQ(socket.Cwnd(), 5);
}

// delta = 10 (1 - 100/110) = 0.909 > 0.5 ends slow start, without the eighth that Vegas takes.
TEST(DcVegas, LeavesSlowStartAboveGammaWithItsWindow)
{
    DcVegas socket(10);
    socket.Ack(100); // base RTT; evaluated with delta = 0
    const double window = socket.Cwnd();
    EXPECT_DOUBLE_EQ(window, 11.5);
    const auto reached = socket.tcb->m_nextTxSequence.Get();
    double last = window;
    while (socket.tcb->m_lastAckedSeq < reached)
    {
        last = socket.Cwnd();
        socket.Ack(112);
    }
    EXPECT_DOUBLE_EQ(socket.Cwnd(), last); // unchanged on the ACK that ended it
    EXPECT_DOUBLE_EQ(socket.Ssthresh(), last);
    socket.Ack(112);
    EXPECT_DOUBLE_EQ(socket.Cwnd(), last); // held until the next evaluation
}

TEST(DcVegas, StaysInSlowStartUnderGamma)
{
    DcVegas socket(10);
    socket.Ack(100);
    const auto reached = socket.tcb->m_nextTxSequence.Get();
    while (socket.tcb->m_lastAckedSeq < reached)
    {
        socket.Ack(101); // delta at most 25 (1 - 100/101) = 0.25
    }
    const double window = socket.Cwnd();
    socket.Ack(101);
    EXPECT_DOUBLE_EQ(socket.Cwnd(), window + 1.5);
}

// Equation 6: the n-th growth in a row is (beta - delta) n over a round trip, spread over its ACKs.
// Here 2/20 for each of 19 ACKs, then with succ = 2 4/21.9 for each.
TEST(DcVegas, GrowsFasterWithEverySuccess)
{
    DcVegas socket = InAvoidance();
    EXPECT_NEAR(socket.Cwnd(), 20.1, 1e-4); // from that ACK on
    socket.Acks(18, 100);
    EXPECT_NEAR(socket.Cwnd(), 21.9, 1e-3);
    socket.Ack(100); // the 20th: what had been sent at the last evaluation is acknowledged
    EXPECT_NEAR(socket.Cwnd(), 21.9 + 4 / 21.9, 1e-3);
}

// "At most double": incr is never above one segment an ACK.
TEST(DcVegas, AtMostDoubles)
{
    DcVegas socket(4, 4);
    for (int round = 0; round < 4; ++round)
    {
        socket.Round(100);
    }
    const double window = socket.Cwnd();
    socket.Ack(100);
    EXPECT_LE(socket.Cwnd() - window, 1.0);
}

// The window is 21.9 when the next evaluation comes, with the 20th ACK.
TEST(DcVegas, AddsAPartOfASegmentBetweenAlphaAndTheMiddle)
{
    DcVegas socket = InAvoidance();
    socket.Acks(18, RttFor(1.2, 21.9));
    socket.Ack(RttFor(1.2, 21.9));
    EXPECT_NEAR(socket.Cwnd(), 21.9 + 1 / 21.9, 1e-3);
    socket.Ack(RttFor(1.2, 21.9));
    EXPECT_NEAR(socket.Cwnd(), 21.9 + 2 / 21.9, 1e-3);
}

TEST(DcVegas, TakesASegmentBetweenTheMiddleAndBeta)
{
    DcVegas socket = InAvoidance();
    socket.Acks(18, RttFor(1.75, 21.9));
    socket.Ack(RttFor(1.75, 21.9));
    EXPECT_NEAR(socket.Cwnd(), 20.9, 1e-3);
    EXPECT_DOUBLE_EQ(socket.Ssthresh(), 20); // as it was: the window is above it
    socket.Ack(RttFor(1.75, 21.9));
    EXPECT_NEAR(socket.Cwnd(), 20.9, 1e-3); // succ and incr are gone
}

// Equation 7: delta = 6 > 2: the window loses 6 - 1.5 = 4.5 segments.
TEST(DcVegas, TakesTheExcessAboveBeta)
{
    DcVegas socket = InAvoidance();
    socket.Acks(18, RttFor(6, 21.9));
    socket.Ack(RttFor(6, 21.9));
    EXPECT_NEAR(socket.Cwnd(), 21.9 - 4.5, 1e-3);
    EXPECT_DOUBLE_EQ(socket.Ssthresh(), socket.Cwnd()); // follows the window down
}

TEST(DcVegas, KeepsTwoSegmentsAtTheLeast)
{
    DcVegas socket(3, 3);
    socket.Ack(100);
    for (int round = 0; round < 5; ++round)
    {
        socket.Round(1000);
    }
    EXPECT_DOUBLE_EQ(socket.Cwnd(), 2);
}

TEST(DcVegas, HalvesAsNewRenoOnALoss)
{
    DcVegas socket = InAvoidance();
    socket.FastRetransmit();
    EXPECT_NEAR(socket.Cwnd(), 10.05, 0.01);
    const double window = socket.Cwnd();
    socket.Ack(100); // avoidance: no slow start, no evaluation within the round
    EXPECT_LT(socket.Cwnd(), window + 0.5);
}

TEST(DcVegas, StartsSlowlyAfterATimeout)
{
    DcVegas socket = InAvoidance();
    socket.Timeout();
    EXPECT_NEAR(socket.Ssthresh(), 10.05, 0.01);
    socket.LeaveLoss();
    socket.Ack(100);
    EXPECT_DOUBLE_EQ(socket.Cwnd(), 2.5);
    socket.Ack(100);
    EXPECT_DOUBLE_EQ(socket.Cwnd(), 4);
}

// ssthresh is 10.05: 1 + 7 * 1.5 = 11.5 is above it, and from there on NewReno adds 1/w an ACK. Before
// the retransmission's recovery has ended, too: there is no evaluation that could tell a growth.
TEST(DcVegas, GrowsAsNewRenoAboveSsthreshWhileItRecoversFromATimeout)
{
    DcVegas socket = InAvoidance();
    socket.Timeout();
    socket.Acks(7, 100);
    EXPECT_DOUBLE_EQ(socket.Cwnd(), 11.5);
    socket.Ack(100);
    EXPECT_NEAR(socket.Cwnd(), 11.5 + 1 / 11.5, 1e-4);
    socket.Ack(100);
    EXPECT_NEAR(socket.Cwnd(), 11.5 + 2 / 11.5, 1e-3);
}
