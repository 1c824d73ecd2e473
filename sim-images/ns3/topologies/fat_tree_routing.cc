// SPDX-License-Identifier: GPL-2.0-only
#include "topologies/fat_tree_routing.h"

namespace windtunnel
{
namespace
{

/** Finalizer of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): every input bit moves every output bit. */
uint64_t
Mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

/** Which of the ways up a switch takes. */
class UplinkChoice
{
  public:
    UplinkChoice(const FatTreeRouting& routing, uint64_t tier, uint64_t switchIndex)
        : m_ways(routing.k / 2),
          m_routing(routing.routing),
          m_flowSalt(Mix(routing.hashSeed ^ (tier << 56))),
          m_packets(Mix(m_flowSalt ^ Mix(switchIndex)))
    {
    }

    /** For packets of one flow always the same: the first, or the one that its hash names. */
    uint32_t OfFlow(const FlowKey& key) const
    {
        if (m_routing != FatTreeSpec::Routing::EcmpFlow)
        {
            return 0; // what a breadth-first search in device order finds first
        }
        const auto tuple = key.Tuple();
        return Mix(Mix(m_flowSalt ^ tuple[0]) ^ tuple[1] ^ (uint64_t{key.Protocol()} << 40)) %
               m_ways;
    }

    uint32_t OfPacket(const FlowKey& key)
    {
        if (m_routing != FatTreeSpec::Routing::EcmpPacket)
        {
            return OfFlow(key);
        }
        return Mix(m_packets++) % m_ways; // random packet spraying (Dixit et al., INFOCOM 2013)
    }

    PortRange NextHops(const FlowKey& key, uint32_t firstUp) const
    {
        if (m_routing == FatTreeSpec::Routing::EcmpPacket)
        {
            return {firstUp, m_ways};
        }
        return {firstUp + OfFlow(key), 1};
    }

  private:
    uint32_t m_ways;
    FatTreeSpec::Routing m_routing;
    uint64_t m_flowSalt;
    uint64_t m_packets; ///< counts packets, from a seeded start
};

/** A switch with ports that lead down, and others that all lead up. */
class TreeRouter : public Router
{
  public:
    uint32_t EgressPort(const FlowKey& key) final
    {
        return IsBelow(key) ? DownPort(key) : m_firstUp + m_up.OfPacket(key);
    }

    PortRange NextHops(const FlowKey& key) const final
    {
        return IsBelow(key) ? PortRange{DownPort(key), 1} : m_up.NextHops(key, m_firstUp);
    }

  protected:
    TreeRouter(uint32_t firstUp, const UplinkChoice& up)
        : m_firstUp(firstUp),
          m_up(up)
    {
    }

    virtual bool IsBelow(const FlowKey& key) const = 0;
    virtual uint32_t DownPort(const FlowKey& key) const = 0;

  private:
    uint32_t m_firstUp;
    UplinkChoice m_up;
};

class EdgeRouter final : public TreeRouter
{
  public:
    EdgeRouter(const FatTreeRouting& routing, uint32_t pod, uint32_t edge)
        : TreeRouter(routing.rack == FatTreeSpec::Rack::SharedLan ? 1 : routing.k / 2,
                     UplinkChoice(routing, 1, (uint64_t{pod} << 32) + edge)),
          m_pod(pod),
          m_edge(edge),
          m_shared(routing.rack == FatTreeSpec::Rack::SharedLan)
    {
    }

  private:
    bool IsBelow(const FlowKey& key) const override
    {
        return key.Destination()[1] == m_pod && key.Destination()[2] == m_edge;
    }

    uint32_t DownPort(const FlowKey& key) const override
    {
        return m_shared ? 0 : key.Destination()[3] - 2;
    }

    uint32_t m_pod;
    uint32_t m_edge;
    bool m_shared;
};

class AggregationRouter final : public TreeRouter
{
  public:
    AggregationRouter(const FatTreeRouting& routing, uint32_t pod, uint32_t aggregation)
        : TreeRouter(routing.k / 2, UplinkChoice(routing, 2, (uint64_t{pod} << 32) + aggregation)),
          m_pod(pod)
    {
    }

  private:
    bool IsBelow(const FlowKey& key) const override
    {
        return key.Destination()[1] == m_pod;
    }

    uint32_t DownPort(const FlowKey& key) const override
    {
        return key.Destination()[2];
    }

    uint32_t m_pod;
};

class CoreRouter final : public FlowRouter
{
  public:
    uint32_t PortOf(const FlowKey& key) const override
    {
        return key.Destination()[1];
    }
};

} // namespace

std::unique_ptr<Router>
FatTreeRouting::ForEdge(uint32_t pod, uint32_t edge) const
{
    return std::make_unique<EdgeRouter>(*this, pod, edge);
}

std::unique_ptr<Router>
FatTreeRouting::ForAggregation(uint32_t pod, uint32_t aggregation) const
{
    return std::make_unique<AggregationRouter>(*this, pod, aggregation);
}

std::unique_ptr<Router>
FatTreeRouting::ForCore() const
{
    return std::make_unique<CoreRouter>();
}

} // namespace windtunnel
