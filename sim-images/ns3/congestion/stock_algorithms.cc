// SPDX-License-Identifier: GPL-2.0-only
#include "congestion/stock_algorithms.h"

using nlohmann::json;

namespace windtunnel
{
namespace
{

json
Unit(const char* unit)
{
    return {{"x-unit", unit}};
}

json
AtLeast(const json& least, const char* unit = nullptr)
{
    json schema{{"minimum", least}};
    if (unit != nullptr)
    {
        schema["x-unit"] = unit;
    }
    return schema;
}

json
Between(const json& low, const json& high, const char* unit = nullptr)
{
    json schema = AtLeast(low, unit);
    schema["maximum"] = high;
    return schema;
}

} // namespace

std::vector<Algorithm>
StockAlgorithms()
{
    const json fraction = Between(0, 1);
    return {
        {"newreno",
         "ns3::TcpNewReno",
         "loss-based",
         "Additive increase of one segment per round trip; halves the window on loss.",
         "ACK: w += 1/w; loss: w /= 2",
         "RFC 6582, RFC 5681",
         {}},
        {"vegas",
         "ns3::TcpVegas",
         "delay-based",
         "Keeps between Alpha and Beta packets queued, estimated from the round-trip time.",
         "each RTT, diff = w (1 - baseRTT/RTT): w += 1 if diff < alpha, w -= 1 if diff > beta",
         "Brakmo, O'Malley and Peterson, SIGCOMM 1994",
         {{"Alpha", Unit("packets")}, {"Beta", Unit("packets")}, {"Gamma", Unit("packets")}}},
        {"highspeed",
         "ns3::TcpHighSpeed",
         "loss-based",
         "Increase and decrease depend on the window, from a table; a(w) is taken from the "
         "table's next row, as in Linux (see highspeed-rfc3649).",
         "ACK: w += a(w)/w; loss: w *= 1 - b(w)",
         "RFC 3649",
         {}},
        {"scalable",
         "ns3::TcpScalable",
         "loss-based",
         "Multiplicative increase: a fixed fraction of a segment per ACK.",
         "ACK: w += 1/min(w, AIFactor); loss: w *= 1 - MDFactor",
         "Kelly, CCR 33(2), 2003",
         {{"AIFactor", AtLeast(1, "ACKs per segment")},
          {"MDFactor", Between(0, 1, "fraction of the window")}}},
        {"westwood-plus",
         "ns3::TcpWestwoodPlus",
         "loss-based",
         "Sets ssthresh from a bandwidth estimate that is updated once per round trip.",
         "ACK: w += 1/w; loss: w = BWE * RTTmin",
         "Mascolo, Grieco, Ferorelli, Camarda and Piscitelli, Performance Evaluation 55, 2004",
         {}},
        {"bic",
         "ns3::TcpBic",
         "loss-based",
         "Binary search for the window at which loss last occurred.",
         "each RTT: w += min(Smax, (wmax - w)/B); loss: w *= Beta",
         "Xu, Harfoush and Rhee, INFOCOM 2004",
         {{"Beta", fraction},
          {"MaxIncr", AtLeast(1, "segments")},
          {"LowWnd", Unit("segments")},
          {"SmoothPart", AtLeast(1)},
          {"BinarySearchCoefficient", AtLeast(1)}}},
        {"cubic",
         "ns3::TcpCubic",
         "loss-based",
         "The window is a cubic function of the time since the last loss.",
         "w(t) = C (t - K)^3 + wmax, K = cbrt(wmax (1 - Beta)/C); loss: w *= Beta",
         "RFC 9438",
         // Below 0.25, TcpCubic's Reno-friendly region divides by 0 segments: an endless loop.
         {{"Beta", {{"minimum", 0.25}, {"maximum", 0.999}}},
          {"C", AtLeast(1e-6)},
          {"CntClamp", AtLeast(1)}}},
        {"yeah",
         "ns3::TcpYeah",
         "hybrid",
         "Scalable growth while few packets are queued, Reno's otherwise, with decongestion; in "
         "ns-3 any queueing delay triggers slow mode (see yeah-paper).",
         "fast: ACK: w += 1/min(w, 100); slow: w += 1/w; queue > Alpha: w -= queue/Gamma",
         "Baiocchi, Castellani and Vacirca, PFLDnet 2007",
         {{"Alpha", Unit("packets")},
          {"Gamma", AtLeast(1)},
          {"Delta", Between(0, 31)},
          {"Epsilon", Between(0, 31)},
          {"Phy", AtLeast(1)},
          {"StcpAiFactor", nullptr}}}, // ns-3 reads it before it is set
        {"veno",
         "ns3::TcpVeno",
         "hybrid",
         "Distinguishes random from congestive loss by Vegas' backlog estimate; ns-3 estimates at "
         "every ACK, so its slower growth hardly ever takes effect (see veno-paper).",
         "ACK: w += 1/w, every other one if N >= Beta; loss: w *= 4/5 if N < Beta, else 1/2",
         "Fu and Liew, JSAC 21(2), 2003",
         {{"Beta", Unit("packets")}}},
        {"dctcp",
         "ns3::TcpDctcp",
         "ecn-based",
         "Reduces the window in proportion to the fraction of marked packets; needs threshold-ecn "
         "queues.",
         "each RTT: alpha = (1 - g) alpha + g F; marks: w *= 1 - alpha/2",
         "RFC 8257",
         {{"DctcpShiftG", Unit("weight")}, {"DctcpAlphaOnInit", Unit("fraction of packets")}},
         json::array(),
         {{{"path", "topology.queue"},
           {"require", "!queue_kinds.all(kind, kind in ['drop-tail', 'pfifo-fast'])"},
           {"message",
            "dctcp gets no ECN marks from these queues and behaves as newreno; use threshold-ecn"}}}},
        {"bbr",
         "ns3::TcpBbr",
         "model-based",
         "Paces at the estimated bottleneck bandwidth and keeps a multiple of the BDP in flight.",
         "pacing = gain * BtlBw; w = gain * BtlBw * RTprop",
         "Cardwell et al., ACM Queue 14(5), 2016",
         {{"BwWindowLength", AtLeast(1, "round trips")},
          {"HighGain", Between(1, 100)},
          // Under ns-3's default a timeout at the end of PROBE_RTT trips an assertion of
          // TcpSocketBase (docs/ns3-limits.md).
          {"RttWindowLength", {{"x-minimum", "10s"}, {"x-maximum", "3600s"}}},
          {"ProbeRttDuration", {{"x-minimum", "1ms"}}}}},
        {"linux-reno",
         "ns3::TcpLinuxReno",
         "loss-based",
         "Reno as in Linux: growth counts segments, not ACKs, and stops while the flow is not "
         "cwnd-limited.",
         "w segments acknowledged: w += 1; loss: w /= 2",
         "RFC 5681, Linux",
         {}},
        {"hybla",
         "ns3::TcpHybla",
         "loss-based",
         "Grows like a connection with a round-trip time of RRTT.",
         "rho = RTT/RRTT; ACK: w += rho^2/w; slow start: w += 2^rho - 1",
         "Caini and Firrincieli, IJSCN 22(5), 2004",
         {{"RRTT", {{"x-minimum", "1ms"}}}}}, // taken in whole milliseconds; zero is not a number
        {"htcp",
         "ns3::TcpHtcp",
         "loss-based",
         "The increase grows with the time since the last loss; the decrease follows the ratio of "
         "minimum to maximum RTT.",
         "a = 1 + 10 (t - 1s) + ((t - 1s)/2)^2; ACK: w += 2 (1 - b) a/w; loss: w *= RTTmin/RTTmax",
         "Leith and Shorten, PFLDnet 2004",
         {{"DefaultBackoff", fraction}, {"ThroughputRatio", fraction}}},
        {"illinois",
         "ns3::TcpIllinois",
         "hybrid",
         "Loss determines the direction of window changes, delay their size.",
         "ACK: w += alpha(d)/w; loss: w *= 1 - beta(d); d the mean queueing delay",
         "Liu, Basar and Srikant, VALUETOOLS 2006",
         {}},
        {"ledbat",
         "ns3::TcpLedbat",
         "delay-based",
         "Background transport: keeps the queueing delay that it causes at a target.",
         "off = (target - delay)/target; ACK: w += Gain off/w; loss: w /= 2",
         "RFC 6817",
         {{"TargetDelay", {{"x-minimum", "1us"}}},
          {"BaseHistoryLen", Between(1, 10000)},
          {"NoiseFilterLen", Between(1, 10000)},
          {"MinCwnd", Between(1, 10000, "segments")}}},
        {"lp",
         "ns3::TcpLp",
         "delay-based",
         "Background transport: backs off when the one-way delay indicates competing traffic.",
         "ACK: w += 1/w; delay > dmin + 0.15 (dmax - dmin): w /= 2, then w = 1",
         "Kuzmanovic and Knightly, INFOCOM 2003",
         {}},
    };
}

} // namespace windtunnel
