// SPDX-License-Identifier: GPL-2.0-only
#include "congestion/catalogue.h"

#include "ns3/abort.h"
#include "ns3/assert.h"
#include "ns3/enum.h"
#include "ns3/fatal-error.h"
#include "ns3/simulator.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-socket-state.h"

#include <cmath>

using namespace ns3;

namespace windtunnel
{

/** NewReno with one mistake, as a user's algorithm may have: what a run then says is tested. */
class TcpFaulty : public TcpNewReno
{
  public:
    enum Mistake
    {
        ASSERT,
        ABORT,
        FATAL_ERROR,
        ZERO_THRESHOLD,
        NAN_WINDOW,
        NEGATIVE_WINDOW,
        STANDSTILL
    };

    static TypeId GetTypeId();

    void IncreaseWindow(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked) override
    {
        TcpNewReno::IncreaseWindow(tcb, segmentsAcked);
        if (tcb->m_cWnd < 20 * tcb->m_segmentSize)
        {
            return;
        }
        NS_ASSERT_MSG(m_mistake != ASSERT, "the window is " << tcb->m_cWnd / tcb->m_segmentSize);
        NS_ABORT_IF(m_mistake == ABORT);
        if (m_mistake == FATAL_ERROR)
        {
            NS_FATAL_ERROR("no such window");
        }
        if (m_mistake == NAN_WINDOW)
        {
            tcb->m_cWnd = static_cast<uint32_t>(std::lround(std::sqrt(-m_one) * tcb->m_cWnd));
        }
        if (m_mistake == NEGATIVE_WINDOW)
        {
            tcb->m_cWnd = static_cast<uint32_t>(std::lround(-m_one * tcb->m_segmentSize));
        }
        if (m_mistake == STANDSTILL)
        {
            Again();
        }
    }

    uint32_t GetSsThresh(Ptr<const TcpSocketState> tcb, uint32_t bytesInFlight) override
    {
        return m_mistake == ZERO_THRESHOLD ? 0 : TcpNewReno::GetSsThresh(tcb, bytesInFlight);
    }

    Ptr<TcpCongestionOps> Fork() override
    {
        return CopyObject<TcpFaulty>(this);
    }

  private:
    /** Events without end at one instant. */
    static void Again()
    {
        Simulator::ScheduleNow(&TcpFaulty::Again);
    }

    Mistake m_mistake{ASSERT};
    volatile double m_one{1}; ///< unknown to the compiler
};

NS_OBJECT_ENSURE_REGISTERED(TcpFaulty);

TypeId
TcpFaulty::GetTypeId()
{
    static TypeId tid =
        TypeId("windtunnel::TcpFaulty")
            .SetParent<TcpNewReno>()
            .AddConstructor<TcpFaulty>()
            .AddAttribute("Mistake",
                          "What it does wrong",
                          EnumValue(ASSERT),
                          MakeEnumAccessor<Mistake>(&TcpFaulty::m_mistake),
                          MakeEnumChecker(ASSERT,
                                          "assert",
                                          ABORT,
                                          "abort",
                                          FATAL_ERROR,
                                          "fatal-error",
                                          ZERO_THRESHOLD,
                                          "zero-threshold",
                                          NAN_WINDOW,
                                          "nan-window",
                                          NEGATIVE_WINDOW,
                                          "negative-window",
                                          STANDSTILL,
                                          "standstill"));
    return tid;
}

namespace
{

const AlgorithmRegistration REGISTRATION({
    .name = "faulty",
    .type = "windtunnel::TcpFaulty",
    .category = "loss-based",
    .summary = "NewReno with a mistake.",
    .formula = "ACK: w += 1/w",
    .source = "none",
});

} // namespace

} // namespace windtunnel
