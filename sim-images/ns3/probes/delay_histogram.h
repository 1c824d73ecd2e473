// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace windtunnel
{

/**
 * Counts of durations in buckets of constant relative width, for quantiles in bounded memory.
 *
 * A bucket spans 2^-11 of its power of two, so a quantile is within 0.05 % of the exact one; under
 * 2048 ns it is exact. (The scheme of HdrHistogram, in integers only.)
 */
class DelayHistogram
{
  public:
    DelayHistogram()
        : m_counts((65 - SUB_BITS) << SUB_BITS)
    {
    }

    void Add(int64_t ns)
    {
        ++m_counts[Bucket(static_cast<uint64_t>(ns))];
        ++m_total;
    }

    uint64_t Count() const
    {
        return m_total;
    }

    /** The smallest value at or under which @p percent of all lie, as its bucket's middle; ns. */
    double Quantile(uint32_t percent) const
    {
        uint64_t below = 0;
        for (std::size_t bucket = 0; bucket < m_counts.size(); ++bucket)
        {
            below += m_counts[bucket];
            if (m_counts[bucket] > 0 && below * 100 >= m_total * percent)
            {
                return Middle(bucket);
            }
        }
        return 0;
    }

  private:
    static constexpr uint32_t SUB_BITS = 11;

    static std::size_t Bucket(uint64_t ns)
    {
        if (ns >> SUB_BITS == 0)
        {
            return ns;
        }
        const uint32_t exponent = 63 - std::countl_zero(ns) - SUB_BITS;
        return (static_cast<std::size_t>(exponent) << SUB_BITS) + (ns >> exponent);
    }

    static double Middle(std::size_t bucket)
    {
        if (bucket >> (SUB_BITS + 1) == 0)
        {
            return static_cast<double>(bucket);
        }
        const uint32_t exponent = (bucket >> SUB_BITS) - 1;
        const uint64_t low = ((bucket & ((1U << SUB_BITS) - 1)) | (1U << SUB_BITS)) << exponent;
        return static_cast<double>(low) + static_cast<double>((uint64_t{1} << exponent) - 1) / 2;
    }

    std::vector<uint64_t> m_counts;
    uint64_t m_total{0};
};

} // namespace windtunnel
