// SPDX-License-Identifier: GPL-2.0-only
#include "fabric/port_meter.h"

#include <gtest/gtest.h>

using windtunnel::PortMeter;

// Length 0 for 10 ns, 1 for 20, 2 for 30, 1 for 40: mean (20 + 60 + 40) / 100.
TEST(PortMeter, WeighsQueueLengthByTime)
{
    PortMeter meter;
    meter.Enqueued(10);
    meter.Enqueued(30);
    meter.Dequeued(60);
    const auto occupancy = meter.QueueOccupancy(100);
    EXPECT_DOUBLE_EQ(occupancy.mean, 1.2);
    EXPECT_EQ(occupancy.p95, 2U);
    EXPECT_EQ(occupancy.max, 2U);
}

TEST(PortMeter, MeasuresFromTheEndOfTheWarmupOnly)
{
    PortMeter meter;
    meter.total.droppedPackets = 7;
    meter.Enqueued(0);
    meter.Enqueued(0);
    meter.BeginMeasurement(50);
    meter.total.droppedPackets += 3;
    meter.Dequeued(60);
    const auto occupancy = meter.QueueOccupancy(100);
    EXPECT_EQ(meter.Since(300).droppedPackets, 3U);
    EXPECT_DOUBLE_EQ(occupancy.mean, (2 * 10 + 1 * 40) / 50.0);
}

TEST(PortMeter, HasNoOccupancyBeforeTimePasses)
{
    PortMeter meter;
    EXPECT_EQ(meter.QueueOccupancy(0).mean, 0);
}
