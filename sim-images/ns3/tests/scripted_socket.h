// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-socket-state.h"

#include <cstdint>

namespace windtunnel
{

/**
 * A congestion control driven by hand, in the order in which TcpSocketBase calls it.
 *
 * The window's segments are numbered from 0; NextSent() is what the sender has sent so far.
 */
template <typename Control>
class ScriptedSocket
{
  public:
    /** Large, so that what ns-3's NewReno truncates to whole bytes does not show. */
    static constexpr uint32_t SEGMENT = 40'000;

    explicit ScriptedSocket(double cwndSegments, uint32_t ssthreshSegments = 100'000)
        : control(ns3::CreateObject<Control>()),
          tcb(ns3::CreateObject<ns3::TcpSocketState>())
    {
        tcb->m_segmentSize = SEGMENT;
        tcb->m_cWnd = static_cast<uint32_t>(cwndSegments * SEGMENT);
        tcb->m_ssThresh = ssthreshSegments * SEGMENT;
        tcb->m_congState = ns3::TcpSocketState::CA_OPEN;
        SendWindow();
    }

    /** The sender has sent as many whole segments as the window lets be outstanding. */
    void SendWindow()
    {
        const uint32_t whole = tcb->m_cWnd / SEGMENT * SEGMENT;
        const auto sent = tcb->m_lastAckedSeq + static_cast<int32_t>(whole);
        if (sent > tcb->m_nextTxSequence)
        {
            tcb->m_nextTxSequence = sent;
        }
    }

    /** An ACK of one more segment, whose round trip took @p rttMs. */
    void Ack(double rttMs)
    {
        tcb->m_lastAckedSeq = tcb->m_lastAckedSeq + static_cast<int32_t>(SEGMENT);
        tcb->m_lastRtt = ns3::MicroSeconds(static_cast<int64_t>(rttMs * 1000));
        control->PktsAcked(tcb, 1, tcb->m_lastRtt);
        control->IncreaseWindow(tcb, 1);
        SendWindow();
    }

    void Acks(int count, double rttMs)
    {
        for (int i = 0; i < count; ++i)
        {
            Ack(rttMs);
        }
    }

    /** Segments that are outstanding. */
    int Outstanding() const
    {
        return (tcb->m_nextTxSequence.Get() - tcb->m_lastAckedSeq) / static_cast<int32_t>(SEGMENT);
    }

    /** ACKs of all that was outstanding when this began. */
    void Round(double rttMs)
    {
        Acks(Outstanding(), rttMs);
    }

    /** Three duplicate ACKs, and the recovery that follows, with the window in flight. */
    void FastRetransmit()
    {
        const uint32_t inFlight = tcb->m_cWnd;
        control->CongestionStateSet(tcb, ns3::TcpSocketState::CA_RECOVERY);
        tcb->m_congState = ns3::TcpSocketState::CA_RECOVERY;
        tcb->m_ssThresh = control->GetSsThresh(tcb, inFlight);
        tcb->m_lastAckedSeq = tcb->m_nextTxSequence;
        control->CongestionStateSet(tcb, ns3::TcpSocketState::CA_OPEN);
        tcb->m_congState = ns3::TcpSocketState::CA_OPEN;
        tcb->m_cWnd = tcb->m_ssThresh.Get();
        SendWindow();
    }

    void Timeout()
    {
        tcb->m_ssThresh = control->GetSsThresh(tcb, tcb->m_cWnd);
        control->CwndEvent(tcb, ns3::TcpSocketState::CA_EVENT_LOSS);
        control->CongestionStateSet(tcb, ns3::TcpSocketState::CA_LOSS);
        tcb->m_congState = ns3::TcpSocketState::CA_LOSS;
        tcb->m_cWnd = SEGMENT;
    }

    /** The retransmission after a timeout has been acknowledged. */
    void LeaveLoss()
    {
        control->CongestionStateSet(tcb, ns3::TcpSocketState::CA_OPEN);
        tcb->m_congState = ns3::TcpSocketState::CA_OPEN;
    }

    double Cwnd() const
    {
        return static_cast<double>(tcb->m_cWnd.Get()) / SEGMENT;
    }

    double Ssthresh() const
    {
        return static_cast<double>(tcb->m_ssThresh.Get()) / SEGMENT;
    }

    ns3::Ptr<Control> control;
    ns3::Ptr<ns3::TcpSocketState> tcb;
};

} // namespace windtunnel
