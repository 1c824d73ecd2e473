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
    UplinkChoice(const FatTreeRouting& routing, uint64_t tierSalt)
        : m_ways(routing.k / 2),
          m_hashed(routing.routing == FatTreeSpec::Routing::EcmpFlow),
          m_salt(Mix(routing.hashSeed ^ (tierSalt << 56)))
    {
    }

    uint32_t operator()(const FlowKey& key) const
    {
        if (!m_hashed)
        {
            return 0; // what a breadth-first search in device order finds first
        }
        const auto tuple = key.Tuple();
        return Mix(Mix(m_salt ^ tuple[0]) ^ tuple[1] ^ (uint64_t{key.Protocol()} << 40)) % m_ways;
    }

  private:
    uint32_t m_ways;
    bool m_hashed;
    uint64_t m_salt;
};

class EdgeRouter final : public Router
{
  public:
    EdgeRouter(const FatTreeRouting& routing, uint32_t pod, uint32_t edge)
        : m_pod(pod),
          m_edge(edge),
          m_shared(routing.rack == FatTreeSpec::Rack::SharedLan),
          m_hostPorts(m_shared ? 1 : routing.k / 2),
          m_up(routing, 1)
    {
    }

    uint32_t EgressPort(const FlowKey& key) const override
    {
        const uint8_t* to = key.Destination();
        if (to[1] == m_pod && to[2] == m_edge)
        {
            return m_shared ? 0 : to[3] - 2;
        }
        return m_hostPorts + m_up(key);
    }

  private:
    uint32_t m_pod;
    uint32_t m_edge;
    bool m_shared;
    uint32_t m_hostPorts;
    UplinkChoice m_up;
};

class AggregationRouter final : public Router
{
  public:
    AggregationRouter(const FatTreeRouting& routing, uint32_t pod)
        : m_pod(pod),
          m_edges(routing.k / 2),
          m_up(routing, 2)
    {
    }

    uint32_t EgressPort(const FlowKey& key) const override
    {
        const uint8_t* to = key.Destination();
        return to[1] == m_pod ? to[2] : m_edges + m_up(key);
    }

  private:
    uint32_t m_pod;
    uint32_t m_edges;
    UplinkChoice m_up;
};

class CoreRouter final : public Router
{
  public:
    uint32_t EgressPort(const FlowKey& key) const override
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
FatTreeRouting::ForAggregation(uint32_t pod) const
{
    return std::make_unique<AggregationRouter>(*this, pod);
}

std::unique_ptr<Router>
FatTreeRouting::ForCore() const
{
    return std::make_unique<CoreRouter>();
}

} // namespace windtunnel
