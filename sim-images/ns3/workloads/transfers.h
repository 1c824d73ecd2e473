// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workloads/data_source.h"
#include "workloads/traffic.h"

#include <memory>
#include <vector>

namespace windtunnel
{

/** Each flow connects at its start, sends its bytes (without end where it has none) and closes. */
class Transfers final : public Traffic
{
  public:
    explicit Transfers(const TrafficContext& context);

  private:
    void Begin(uint32_t flow);

    Connections& m_connections;
    uint32_t m_segmentBytes;
    std::vector<std::unique_ptr<DataSource>> m_sources;
};

} // namespace windtunnel
