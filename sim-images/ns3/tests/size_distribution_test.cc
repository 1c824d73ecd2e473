// SPDX-License-Identifier: GPL-2.0-only
#include "base/spec_error.h"
#include "workloads/size_distribution.h"

#include <gtest/gtest.h>

using namespace windtunnel;

namespace
{

/** Mean of the quantiles at the middles of many equal parts. */
double
MeanOfQuantiles(const SizeDistribution& sizes)
{
    constexpr int PARTS = 200'000;
    double sum = 0;
    for (int i = 0; i < PARTS; ++i)
    {
        sum += static_cast<double>(sizes.Quantile((i + 0.5) / PARTS));
    }
    return sum / PARTS;
}

} // namespace

TEST(SizeDistribution, InterpolatesBetweenItsPoints)
{
    const auto sizes = SizeDistribution::Empirical({{100, 0.2}, {300, 0.6}, {1000, 1}});
    EXPECT_EQ(sizes.Quantile(0), 100U);
    EXPECT_EQ(sizes.Quantile(0.1), 100U);
    EXPECT_EQ(sizes.Quantile(0.4), 200U);
    EXPECT_EQ(sizes.Quantile(0.8), 650U);
    // 0.2 * 100 + 0.4 * 200 + 0.4 * 650
    EXPECT_DOUBLE_EQ(sizes.MeanBytes(), 360);
}

TEST(SizeDistribution, HasTheMeanOfWhatItDraws)
{
    for (const auto& sizes : {SizeDistribution::WebSearch(),
                              SizeDistribution::DataMining(),
                              SizeDistribution::OfClasses(0.8, 0.19, 0.01)})
    {
        EXPECT_NEAR(MeanOfQuantiles(sizes) / sizes.MeanBytes(), 1, 0.002);
    }
    // pFabric states 1.6 MB for web search.
    EXPECT_NEAR(SizeDistribution::WebSearch().MeanBytes(), 1.66e6, 0.03e6);
}

TEST(SizeDistribution, KeepsToTheClassesThatItNames)
{
    const auto sizes = SizeDistribution::OfClasses(0.5, 0.3, 0.2);
    EXPECT_EQ(ClassOf(sizes.Quantile(0.49)), SizeClass::Mice);
    EXPECT_EQ(ClassOf(sizes.Quantile(0.51)), SizeClass::Cat);
    EXPECT_EQ(ClassOf(sizes.Quantile(0.79)), SizeClass::Cat);
    EXPECT_EQ(ClassOf(sizes.Quantile(0.81)), SizeClass::Elephant);
    EXPECT_LE(sizes.Quantile(0.999999), 50'000'000U);
}

TEST(SizeDistribution, RefusesWhatIsNoDistribution)
{
    EXPECT_THROW(SizeDistribution::Empirical({}), SpecError);
    EXPECT_THROW(SizeDistribution::Empirical({{100, 0.5}}), SpecError);
    EXPECT_THROW(SizeDistribution::Empirical({{100, 0.5}, {50, 1}}), SpecError);
    EXPECT_THROW(SizeDistribution::Empirical({{100, 0.5}, {200, 0.4}, {300, 1}}), SpecError);
    EXPECT_THROW(SizeDistribution::Empirical({{0, 1}}), SpecError);
    EXPECT_THROW(SizeDistribution::OfClasses(0.5, 0.5, 0.5), SpecError);
}

TEST(SizeClass, HasTheStudysBounds)
{
    EXPECT_EQ(ClassOf(99'999), SizeClass::Mice);
    EXPECT_EQ(ClassOf(100'000), SizeClass::Cat);
    EXPECT_EQ(ClassOf(5'000'000), SizeClass::Cat);
    EXPECT_EQ(ClassOf(5'000'001), SizeClass::Elephant);
}
