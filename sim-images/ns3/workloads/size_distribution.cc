// SPDX-License-Identifier: GPL-2.0-only
#include "workloads/size_distribution.h"

#include "base/spec_error.h"

#include <algorithm>
#include <cmath>

namespace windtunnel
{
namespace
{

constexpr double SEGMENT = 1460; // the published tables count segments of this size
constexpr double MICE_BELOW = 1e5;
constexpr double ELEPHANTS_ABOVE = 5e6;
constexpr double SMALLEST = 1e3;
constexpr double LARGEST = 5e7;

std::vector<SizeDistribution::Point>
InSegments(std::vector<SizeDistribution::Point> points)
{
    for (auto& point : points)
    {
        point.first *= SEGMENT;
    }
    return points;
}

} // namespace

SizeClass
ClassOf(uint64_t bytes)
{
    if (static_cast<double>(bytes) < MICE_BELOW)
    {
        return SizeClass::Mice;
    }
    return static_cast<double>(bytes) > ELEPHANTS_ABOVE ? SizeClass::Elephant : SizeClass::Cat;
}

std::string
ToString(SizeClass sizeClass)
{
    switch (sizeClass)
    {
    case SizeClass::Mice:
        return "mice";
    case SizeClass::Cat:
        return "cat";
    case SizeClass::Elephant:
        return "elephant";
    }
    return "unknown";
}

SizeDistribution::SizeDistribution(std::vector<Point> points, Between between)
    : m_points(std::move(points)),
      m_between(between)
{
}

SizeDistribution
SizeDistribution::Empirical(std::vector<Point> points)
{
    const std::string where = "scenario.workload.sizes.points: ";
    if (points.empty() || points.back().second != 1)
    {
        throw SpecError(where + "[bytes, probability] pairs up to a probability of 1 are expected");
    }
    Point last{0, 0};
    for (const Point& point : points)
    {
        if (!(point.first >= 1 && point.first <= 4e9 && point.first >= last.first &&
              point.second >= last.second && point.second <= 1))
        {
            throw SpecError(where + "sizes from 1 to 4e9 bytes and probabilities must not descend");
        }
        last = point;
    }
    return {std::move(points), Between::Linear};
}

SizeDistribution
SizeDistribution::WebSearch()
{
    return {InSegments({{1, 0},
                        {6, 0.15},
                        {13, 0.2},
                        {19, 0.3},
                        {33, 0.4},
                        {53, 0.53},
                        {133, 0.6},
                        {667, 0.7},
                        {1333, 0.8},
                        {3333, 0.9},
                        {6667, 0.97},
                        {20000, 1}}),
            Between::Linear};
}

SizeDistribution
SizeDistribution::DataMining()
{
    return {InSegments({{1, 0.5},
                        {2, 0.6},
                        {3, 0.7},
                        {7, 0.8},
                        {267, 0.9},
                        {2107, 0.95},
                        {66667, 0.99},
                        {666667, 1}}),
            Between::Linear};
}

SizeDistribution
SizeDistribution::OfClasses(double mice, double cat, double elephant)
{
    if (std::abs(mice + cat + elephant - 1) > 1e-9)
    {
        throw SpecError("scenario.workload.sizes: mice, cat and elephant must sum to 1");
    }
    return {{{SMALLEST, 0}, {MICE_BELOW, mice}, {ELEPHANTS_ABOVE, mice + cat}, {LARGEST, 1}},
            Between::Logarithmic};
}

uint64_t
SizeDistribution::Quantile(double u) const
{
    const auto above = std::find_if(m_points.begin(), m_points.end(), [u](const Point& point) {
        return point.second > u;
    });
    if (above == m_points.end())
    {
        return std::max<uint64_t>(1, std::llround(m_points.back().first));
    }
    double bytes = above->first;
    if (above != m_points.begin())
    {
        const auto& [low, pLow] = *std::prev(above);
        const double part = (u - pLow) / (above->second - pLow);
        bytes = m_between == Between::Linear ? low + part * (above->first - low)
                                             : low * std::pow(above->first / low, part);
    }
    return std::max<uint64_t>(1, std::llround(bytes));
}

double
SizeDistribution::MeanBytes() const
{
    double mean = m_points.front().first * m_points.front().second;
    for (size_t i = 1; i < m_points.size(); ++i)
    {
        const auto& [low, pLow] = m_points[i - 1];
        const auto& [high, pHigh] = m_points[i];
        if (high == low)
        {
            mean += (pHigh - pLow) * low;
            continue;
        }
        mean += (pHigh - pLow) * (m_between == Between::Linear
                                      ? (low + high) / 2
                                      : (high - low) / std::log(high / low));
    }
    return mean;
}

} // namespace windtunnel
