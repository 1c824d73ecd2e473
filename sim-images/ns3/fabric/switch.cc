// SPDX-License-Identifier: GPL-2.0-only
#include "fabric/switch.h"

#include <cstring>

namespace windtunnel
{

std::array<uint64_t, 2>
FlowKey::Tuple() const
{
    std::array<uint64_t, 2> words{};
    std::memcpy(words.data(), m_bytes.data() + 12, 8);     // source and destination address
    std::memcpy(words.data() + 1, m_bytes.data() + 20, 4); // source and destination port
    return words;
}

} // namespace windtunnel
