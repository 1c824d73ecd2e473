// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "fabric/queue_config.h"

#include "ns3/packet.h"

#include <cstdint>
#include <vector>

namespace windtunnel
{

/**
 * First-in first-out ring of packets with a limit; the drop-tail queue of a link.
 *
 * A byte limit counts each packet with its two bytes of framing, as ns-3's point-to-point device
 * queue does, because there the PPP header is on the packet before it is queued.
 */
class PacketRing
{
  public:
    static constexpr uint32_t FRAMING_BYTES = 2;

    static constexpr uint32_t FIRST_SLOTS = 64;

    explicit PacketRing(QueueLimit limit)
        : m_limit(limit),
          m_slots(FIRST_SLOTS) // grows: most queues of a network never fill
    {
    }

    bool Empty() const
    {
        return m_length == 0;
    }

    /** Whether more waits than @p threshold. */
    bool LongerThan(const QueueLimit& threshold) const
    {
        return threshold.unit == QueueLimit::Unit::Packets ? m_length > threshold.value
                                                           : m_bytes > threshold.value;
    }

    /** @return false when the packet does not fit; it is then the caller's to count as dropped. */
    bool Push(const ns3::Ptr<ns3::Packet>& packet)
    {
        const uint32_t size = packet->GetSize() + FRAMING_BYTES;
        if (!HasRoom(size))
        {
            return false;
        }
        if (m_length == m_slots.size())
        {
            Grow();
        }
        uint32_t tail = m_head + m_length;
        if (tail >= m_slots.size())
        {
            tail -= m_slots.size();
        }
        m_slots[tail] = packet;
        ++m_length;
        m_bytes += size;
        return true;
    }

    ns3::Ptr<ns3::Packet> Pop()
    {
        ns3::Ptr<ns3::Packet> packet = std::move(m_slots[m_head]);
        if (++m_head == m_slots.size())
        {
            m_head = 0;
        }
        --m_length;
        m_bytes -= packet->GetSize() + FRAMING_BYTES;
        return packet;
    }

  private:
    bool HasRoom(uint32_t size) const
    {
        return m_limit.unit == QueueLimit::Unit::Packets ? m_length < m_limit.value
                                                         : m_bytes + size <= m_limit.value;
    }

    void Grow()
    {
        std::vector<ns3::Ptr<ns3::Packet>> larger(2 * m_slots.size());
        for (uint32_t i = 0; i < m_length; ++i)
        {
            larger[i] = std::move(m_slots[(m_head + i) % m_slots.size()]);
        }
        m_slots = std::move(larger);
        m_head = 0;
    }

    QueueLimit m_limit;
    std::vector<ns3::Ptr<ns3::Packet>> m_slots;
    uint32_t m_head{0};
    uint32_t m_length{0};
    uint64_t m_bytes{0};
};

} // namespace windtunnel
