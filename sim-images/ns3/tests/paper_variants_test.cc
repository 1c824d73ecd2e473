// SPDX-License-Identifier: GPL-2.0-only
//
// Where ns-3's models deviate from their papers, driven side by side with the corrected variants by
// the same ACKs.
#include "congestion/tcp_highspeed_rfc3649.h"
#include "congestion/tcp_veno_paper.h"
#include "congestion/tcp_yeah_paper.h"
#include "tests/scripted_socket.h"

#include "ns3/tcp-highspeed.h"
#include "ns3/tcp-veno.h"
#include "ns3/tcp-yeah.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace windtunnel;

namespace
{

/** Growth of the window over one round at @p rttMs, after rounds that made the RTT known. */
template <typename Control>
double
GrowthAt(double window, double baseMs, double rttMs)
{
    ScriptedSocket<Control> socket(window, static_cast<uint32_t>(window));
    socket.Round(baseMs);
    socket.Round(rttMs);
    const double before = socket.Cwnd();
    socket.Round(rttMs);
    return socket.Cwnd() - before;
}

} // namespace

// A tenth of the base RTT in the queue, 18 of 200 packets: under 1/8 and under Alpha = 80, so the
// paper's YeAH stays in fast mode, 200/100 = 2 segments a round trip. ns-3's 1/m_phy is 0: slow mode.
TEST(YeahPaper, StaysFastUnderAnEighthOfTheBaseRoundTripWhereNs3IsSlow)
{
    EXPECT_NEAR((GrowthAt<TcpYeahPaper>(200, 100, 110)), 2, 0.1);
    EXPECT_NEAR((GrowthAt<TcpYeah>(200, 100, 110)), 1, 0.1);
}

TEST(YeahPaper, IsSlowAboveAnEighth)
{
    EXPECT_NEAR((GrowthAt<TcpYeahPaper>(200, 100, 114)), 1, 0.1);
}

TEST(YeahPaper, IsFastWithoutAQueueAsNs3Is)
{
    EXPECT_NEAR((GrowthAt<TcpYeahPaper>(200, 100, 100)), 2, 0.1);
    EXPECT_NEAR((GrowthAt<TcpYeah>(200, 100, 100)), 2, 0.1);
}

// 300 packets, 40 ms of 140 in the queue: 85 packets > Alpha: the window gives them back at once.
TEST(YeahPaper, GivesItsBacklogBackAboveAlpha)
{
    ScriptedSocket<TcpYeahPaper> socket(300, 300);
    socket.Round(100);
    const double before = socket.Cwnd();
    socket.Round(140);
    socket.Ack(140); // ends the round
    EXPECT_NEAR(socket.Cwnd(), before - 86, 4);
    EXPECT_DOUBLE_EQ(socket.Ssthresh(), std::floor(socket.Cwnd()));
}

// Alone (no rounds in slow mode): a loss takes max(queue, window/8), at most half.
TEST(YeahPaper, TakesAnEighthOnALossWithoutCompetition)
{
    ScriptedSocket<TcpYeahPaper> socket(80, 80);
    socket.Round(100);
    socket.Round(100);
    const double window = socket.Cwnd();
    socket.FastRetransmit();
    EXPECT_NEAR(socket.Cwnd(), window * 7 / 8, 1);
}

TEST(YeahPaper, HalvesOnALossAfterRhoSlowRounds)
{
    ScriptedSocket<TcpYeahPaper> socket(80, 80);
    socket.Round(100);
    for (int round = 0; round < 18; ++round)
    {
        socket.Round(130);
    }
    const double window = socket.Cwnd();
    socket.FastRetransmit();
    EXPECT_NEAR(socket.Cwnd(), window / 2, 1);
}

// N = 100 (1 - 100/110) = 9 >= 3: the paper's Veno grows by half a segment a round trip. ns-3's
// counts one sample an ACK, never the three that it asks for, and grows by a whole one.
TEST(VenoPaper, GrowsByHalfWhenTheBandwidthIsUsedWhereNs3GrowsAsReno)
{
    EXPECT_NEAR((GrowthAt<TcpVenoPaper>(100, 100, 110)), 0.5, 0.05);
    EXPECT_NEAR((GrowthAt<TcpVeno>(100, 100, 110)), 1, 0.05);
}

TEST(VenoPaper, GrowsAsRenoWithoutABacklog)
{
    EXPECT_NEAR((GrowthAt<TcpVenoPaper>(100, 100, 101)), 1, 0.05); // N = 1
}

TEST(VenoPaper, TakesAFifthOnARandomLossAndAHalfOnACongestiveOne)
{
    ScriptedSocket<TcpVenoPaper> random(100, 100);
    random.Round(100);
    random.Round(100);
    const double window = random.Cwnd();
    random.FastRetransmit();
    EXPECT_NEAR(random.Cwnd(), window * 0.8, 0.1);

    ScriptedSocket<TcpVenoPaper> congestive(100, 100);
    congestive.Round(100);
    congestive.Round(120);
    congestive.Ack(120);
    EXPECT_NEAR(congestive.control->Backlog(), 100 * (1 - 100 / 120.0), 0.5);
    const double full = congestive.Cwnd();
    congestive.FastRetransmit();
    EXPECT_NEAR(congestive.Cwnd(), full / 2, 0.1);
}

// RFC 3649, appendix B: a(w) and b(w) at the windows where the table changes.
TEST(HighSpeedRfc3649, HasTheRfcsTable)
{
    const double rows[][3] = {{38, 1, 0.50},
                              {118, 2, 0.44},
                              {221, 3, 0.41},
                              {347, 4, 0.38},
                              {495, 5, 0.37},
                              {851, 7, 0.34},
                              {1058, 8, 0.33},
                              {10661, 30, 0.21},
                              {83333, 71, 0.10}};
    for (const auto& [w, a, b] : rows)
    {
        EXPECT_NEAR(TcpHighSpeedRfc3649::Increase(w), a, 0.55) << w;
        EXPECT_NEAR(TcpHighSpeedRfc3649::Decrease(w), b, 0.006) << w;
    }
    EXPECT_DOUBLE_EQ(TcpHighSpeedRfc3649::Increase(20), 1);
    EXPECT_DOUBLE_EQ(TcpHighSpeedRfc3649::Decrease(20), 0.5);
}

// Between rows: a(60) is 1.3 by the equations; ns-3 takes the next row's 2.
TEST(HighSpeedRfc3649, GrowsByTheEquationBetweenRowsWhereNs3TakesTheNextRow)
{
    EXPECT_NEAR(TcpHighSpeedRfc3649::Increase(60), 1.32, 0.05);
    EXPECT_NEAR((GrowthAt<TcpHighSpeedRfc3649>(60, 100, 100)), 1.35, 0.1);
    EXPECT_NEAR((GrowthAt<TcpHighSpeed>(60, 100, 100)), 2, 0.1);
}

TEST(HighSpeedRfc3649, TakesItsShareOnALoss)
{
    ScriptedSocket<TcpHighSpeedRfc3649> socket(500, 500);
    socket.FastRetransmit();
    EXPECT_NEAR(socket.Cwnd(), 500 * (1 - 0.366), 1);
}
