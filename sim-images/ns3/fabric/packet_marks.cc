// SPDX-License-Identifier: GPL-2.0-only
#include "fabric/packet_marks.h"

#include "ns3/ipv4-header.h"
#include "ns3/tag.h"

using namespace ns3;

namespace windtunnel
{
namespace
{

class RefusedTag : public Tag
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("windtunnel::RefusedTag").SetParent<Tag>().AddConstructor<RefusedTag>();
        return tid;
    }

    TypeId GetInstanceTypeId() const override
    {
        return GetTypeId();
    }

    uint32_t GetSerializedSize() const override
    {
        return 0;
    }

    void Serialize(TagBuffer) const override
    {
    }

    void Deserialize(TagBuffer) override
    {
    }

    void Print(std::ostream& os) const override
    {
        os << "refused by the device queue";
    }
};

} // namespace

bool
MarkCongestionExperienced(const Ptr<Packet>& packet)
{
    Ipv4Header header;
    packet->PeekHeader(header);
    if (header.GetEcn() == Ipv4Header::ECN_NotECT || header.GetEcn() == Ipv4Header::ECN_CE)
    {
        return false;
    }
    packet->RemoveHeader(header);
    header.SetEcn(Ipv4Header::ECN_CE);
    packet->AddHeader(header);
    return true;
}

void
MarkRefusedByDevice(const Ptr<const Packet>& packet)
{
    if (!IsRefusedByDevice(*packet))
    {
        packet->AddPacketTag(RefusedTag());
    }
}

bool
IsRefusedByDevice(const Packet& packet)
{
    RefusedTag tag;
    return packet.PeekPacketTag(tag);
}

} // namespace windtunnel
