// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace windtunnel
{

/** Traffic classes by size, after Chan and Chang (the DCVegas study), Table I. */
enum class SizeClass
{
    Mice,    ///< under 100 kB
    Cat,     ///< 100 kB to 5 MB
    Elephant ///< above 5 MB
};

SizeClass ClassOf(uint64_t bytes);
std::string ToString(SizeClass sizeClass);

/** A distribution of flow sizes, given by points of its cumulative distribution function. */
class SizeDistribution
{
  public:
    using Point = std::pair<double, double>; ///< bytes, probability of at most as many

    /** Linear between points; probabilities ascend to 1. @throws SpecError */
    static SizeDistribution Empirical(std::vector<Point> points);

    /** Web search: Alizadeh et al., DCTCP, SIGCOMM 2010, as tabulated for pFabric (2013). */
    static SizeDistribution WebSearch();

    /** Data mining: Greenberg et al., VL2, SIGCOMM 2009, as tabulated for pFabric (2013). */
    static SizeDistribution DataMining();

    /** Shares of mice, cats and elephants, log-uniform from 1 kB, 100 kB and 5 MB to the next
     * and to 50 MB. @throws SpecError unless the shares sum to 1. */
    static SizeDistribution OfClasses(double mice, double cat, double elephant);

    /** The size below which a share @p u of flows lies, in whole bytes, at least 1; u in [0, 1). */
    uint64_t Quantile(double u) const;

    double MeanBytes() const;

  private:
    enum class Between
    {
        Linear,
        Logarithmic
    };

    SizeDistribution(std::vector<Point> points, Between between);

    std::vector<Point> m_points;
    Between m_between;
};

} // namespace windtunnel
