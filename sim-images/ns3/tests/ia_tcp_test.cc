// SPDX-License-Identifier: GPL-2.0-only
#include "congestion/ia_tcp_socket.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace windtunnel;

namespace
{

// 10 Gb/s, 100.8 us, segments of 1000 bytes: the path holds 126 segments.
IaTcpShare
ShareOf(uint32_t senders)
{
    return {DataRate("10Gbps"), NanoSeconds(100'800), senders, 1000};
}

} // namespace

// Equation 4: W = (C/MSS) RTTmin/n, here 126/n, in whole segments.
TEST(IaTcpShare, DividesThePathAmongItsSenders)
{
    EXPECT_EQ(ShareOf(1).WindowSegments(true), 126U);
    EXPECT_EQ(ShareOf(4).WindowSegments(true), 32U); // 31.5
    EXPECT_EQ(ShareOf(4).WindowSegments(false), 31U);
    EXPECT_EQ(ShareOf(200).WindowSegments(true), 1U);
    EXPECT_EQ(ShareOf(200).WindowSegments(false), 1U); // never none
}

// Equation 3 with equality: n W MSS = C (RTTmin + D).
TEST(IaTcpShare, DelaysAcksUntilTheRateIsTheLinks)
{
    // 4 * 32 segments are 102.4 us at 10 Gb/s.
    EXPECT_EQ(ShareOf(4).AckDelay(true), NanoSeconds(1'600));
    // 200 segments are 160 us.
    EXPECT_EQ(ShareOf(200).AckDelay(true), NanoSeconds(59'200));
    EXPECT_EQ(ShareOf(1).AckDelay(true), NanoSeconds(0));
    // Rounded down, the windows do not fill the path: nothing to delay.
    EXPECT_EQ(ShareOf(4).AckDelay(false), NanoSeconds(0));
}
