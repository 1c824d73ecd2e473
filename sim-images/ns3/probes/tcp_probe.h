// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workloads/tcp_sender.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace windtunnel
{

/** What one flow's sending socket has done since the warm-up. */
struct TcpCounters
{
    uint64_t retransmissions{0};
    uint64_t timeouts{0};
    uint64_t fastRecoveries{0};
    /** Time-weighted, while the flow had a window; a window of zero counts. */
    std::optional<double> meanCwndBytes;
};

/** The smallest window of any flow, and when it was; what stock algorithms let touch zero. */
struct CwndFloor
{
    uint32_t bytes;
    uint32_t flow;
    int64_t atNs;
};

/** The first window or threshold that no working algorithm sets. */
struct WindowFault
{
    std::string what;
    uint32_t flow;
    int64_t atNs;
};

/** Listens to the sending sockets of every flow. */
class TcpProbe
{
  public:
    explicit TcpProbe(uint32_t flows);

    /** @p socket is now the one that sends @p flow; it has not connected yet. */
    void Observe(uint32_t flow, const ns3::Ptr<TcpSender>& socket);

    void BeginMeasurement(int64_t nowNs);

    TcpCounters Since(uint32_t flow, int64_t nowNs) const;

    /** Of the flow's current connection; zero while it has no window. */
    uint32_t CwndBytes(uint32_t flow) const;
    ns3::Time LastRtt(uint32_t flow) const;

    /** Standard deviation over mean of the windows of all flows that have one; negative if less
     * than two have. */
    double WindowVariation() const;

    /** No flow at all: bytes is the largest number. */
    const CwndFloor& Floor() const
    {
        return m_floor;
    }

    /**
     * Of any flow, if there was one: a slow start threshold of less than half a segment where the
     * window was at least a segment, or 2^31 bytes above the window; a window of zero outside
     * recoveries; a window raised by 2^31 bytes at once. Zero is also what a NaN becomes in ns-3's
     * whole numbers, and 2^31 bytes and more what a negative one does.
     */
    const std::optional<WindowFault>& Fault() const
    {
        return m_fault;
    }

  private:
    struct State
    {
        ns3::Ptr<TcpSender> socket;
        uint64_t retransmissions{0};
        uint64_t timeouts{0};
        uint64_t retransmissionsAtWarmup{0};
        uint64_t timeoutsAtWarmup{0};
        uint64_t fastRecoveries{0};
        uint64_t fastRecoveriesAtWarmup{0};
        bool hasWindow{false}; ///< from the end of the handshake to that of the connection
        uint32_t cwnd{0};
        int64_t cwndSinceNs{0};
        double cwndByteNs{0};
        int64_t observedNs{0};
    };

    void CwndChanged(uint32_t flow, uint32_t before, uint32_t cwnd);
    void SsthreshChanged(uint32_t flow, uint32_t ssthresh);
    void Blame(uint32_t flow, const std::string& what);
    void Ended(uint32_t flow);
    static void Account(State& state, int64_t nowNs);

    std::vector<State> m_states;
    CwndFloor m_floor{UINT32_MAX, 0, 0};
    std::optional<WindowFault> m_fault;
};

} // namespace windtunnel
