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
    /** A range of delays with the number of packets in it. */
    struct Bin
    {
        int64_t delayNs; ///< largest delay of the range
        uint64_t packets;
    };

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

    /**
     * The non-empty ranges in ascending order, coarser than the buckets: a range spans 2^-5 of its
     * power of two, so its largest delay exceeds any other by at most 1/32; under 64 ns a range is
     * one nanosecond. Ranges are the same in every run, so that those of several runs can be added.
     */
    std::vector<Bin> CoarseBins() const
    {
        std::vector<Bin> bins;
        for (std::size_t bucket = 0; bucket < m_counts.size(); ++bucket)
        {
            if (m_counts[bucket] == 0)
            {
                continue;
            }
            const int64_t delayNs = CoarseUpper(Low(bucket));
            if (bins.empty() || bins.back().delayNs != delayNs)
            {
                bins.push_back({delayNs, 0});
            }
            bins.back().packets += m_counts[bucket];
        }
        return bins;
    }

  private:
    static constexpr uint32_t SUB_BITS = 11;
    static constexpr uint32_t COARSE_SUB_BITS = 5;

    static std::size_t Bucket(uint64_t ns)
    {
        if (ns >> SUB_BITS == 0)
        {
            return ns;
        }
        const uint32_t exponent = 63 - std::countl_zero(ns) - SUB_BITS;
        return (static_cast<std::size_t>(exponent) << SUB_BITS) + (ns >> exponent);
    }

    /** Of the width of a bucket, in powers of two. */
    static uint32_t Exponent(std::size_t bucket)
    {
        return bucket >> (SUB_BITS + 1) == 0 ? 0 : (bucket >> SUB_BITS) - 1;
    }

    static uint64_t Low(std::size_t bucket)
    {
        const uint32_t exponent = Exponent(bucket);
        return (bucket - (static_cast<std::size_t>(exponent) << SUB_BITS)) << exponent;
    }

    static double Middle(std::size_t bucket)
    {
        return static_cast<double>(Low(bucket)) +
               static_cast<double>((uint64_t{1} << Exponent(bucket)) - 1) / 2;
    }

    /** The largest delay of the coarse range that holds @p ns. */
    static int64_t CoarseUpper(uint64_t ns)
    {
        if (ns >> COARSE_SUB_BITS == 0)
        {
            return static_cast<int64_t>(ns);
        }
        const uint32_t exponent = 63 - std::countl_zero(ns) - COARSE_SUB_BITS;
        return static_cast<int64_t>((((ns >> exponent) + 1) << exponent) - 1);
    }

    std::vector<uint64_t> m_counts;
    uint64_t m_total{0};
};

} // namespace windtunnel
