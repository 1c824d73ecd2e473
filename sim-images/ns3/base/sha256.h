// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace windtunnel
{

/** SHA-256 as FIPS 180-4, section 6.2, fed in pieces. */
class Sha256
{
  public:
    using Digest = std::array<uint8_t, 32>;

    void Update(std::string_view bytes);

    /** The digest of all that was fed; the object is spent afterwards. */
    Digest Finish();
    std::string HexDigest();

    static Digest Of(std::string_view bytes);

  private:
    void Block(const uint8_t* block);

    std::array<uint32_t, 8> m_state{0x6a09e667,
                                    0xbb67ae85,
                                    0x3c6ef372,
                                    0xa54ff53a,
                                    0x510e527f,
                                    0x9b05688c,
                                    0x1f83d9ab,
                                    0x5be0cd19};
    std::array<uint8_t, 64> m_pending{};
    size_t m_pendingBytes{0};
    uint64_t m_totalBytes{0};
};

std::string ToHex(const Sha256::Digest& digest);

} // namespace windtunnel
