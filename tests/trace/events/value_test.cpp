#include "core/trace/events/value.h"

#include "core/trace/events/lanes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

namespace shardlens {
namespace {

template <class T>
std::span<const std::byte> bytes(const std::vector<T>& elements) {
  return std::as_bytes(std::span(elements));
}

TEST(Value, ReadsEveryDtype) {
  const std::vector<std::uint16_t> halves = {0x3c00, 0xc000, 0x0001, 0x7c00, 0xfc00, 0x7e00};
  const auto half = [&](int i) { return elementAt(DType::Float16, bytes(halves).data(), i); };
  EXPECT_EQ(half(0), 1.0);
  EXPECT_EQ(half(1), -2.0);
  EXPECT_EQ(half(2), std::ldexp(1.0, -24));
  EXPECT_EQ(half(3), HUGE_VAL);
  EXPECT_EQ(half(4), -HUGE_VAL);
  EXPECT_TRUE(std::isnan(half(5)));
  const std::vector<std::uint16_t> bfloats = {0x3f80, 0xc040};
  EXPECT_EQ(elementAt(DType::BFloat16, bytes(bfloats).data(), 0), 1.0);
  EXPECT_EQ(elementAt(DType::BFloat16, bytes(bfloats).data(), 1), -3.0);
  const std::vector<double> doubles = {0, 0.1};
  EXPECT_EQ(elementAt(DType::Float64, bytes(doubles).data(), 1), 0.1);
  const std::vector<std::int8_t> small = {-1, 2};
  EXPECT_EQ(elementAt(DType::Int8, bytes(small).data(), 0), -1.0);
  EXPECT_EQ(elementAt(DType::UInt8, bytes(small).data(), 0), 255.0);
  EXPECT_EQ(elementAt(DType::Bool, bytes(small).data(), 1), 1.0);
  const std::vector<std::int16_t> shorts = {1, -300};
  EXPECT_EQ(elementAt(DType::Int16, bytes(shorts).data(), 1), -300.0);
}

TEST(Value, WritesElementsAsShortAsTheirDtypeAllows) {
  const std::vector<float> floats = {0.1F, -std::numeric_limits<float>::infinity(), -NAN};
  EXPECT_EQ(elementText(DType::Float32, bytes(floats).data(), 0), "0.1");
  EXPECT_EQ(elementText(DType::Float32, bytes(floats).data(), 1), "-inf");
  EXPECT_EQ(elementText(DType::Float32, bytes(floats).data(), 2), "nan");
  const std::vector<std::int64_t> whole = {9007199254740993};
  EXPECT_EQ(elementText(DType::Int64, bytes(whole).data(), 0), "9007199254740993");
  EXPECT_EQ(elementText(DType::Bool, bytes(whole).data(), 0), "true");
}

TEST(Value, ComplexNumbersHaveTwoPartsAndAMagnitude) {
  const std::vector<std::complex<float>> singles = {
      {3, -4}, {0.1F, 0}, {NAN, -HUGE_VALF}, {0, -0.F}};
  const auto data = bytes(singles);
  EXPECT_EQ(elementText(DType::Complex64, data.data(), 0), "3-4j");
  EXPECT_EQ(elementText(DType::Complex64, data.data(), 1), "0.1+0j");
  EXPECT_EQ(elementText(DType::Complex64, data.data(), 2), "nan-infj");
  EXPECT_EQ(elementText(DType::Complex64, data.data(), 3), "0-0j");
  EXPECT_EQ(elementAt(DType::Complex64, data.data(), 0), 5.0);
  EXPECT_EQ(complexAt(DType::Complex64, data.data(), 0), std::complex<double>(3, -4));
  const std::vector<std::complex<double>> doubles = {{0.1, 1e300}};
  EXPECT_EQ(elementText(DType::Complex128, bytes(doubles).data(), 0), "0.1+1e+300j");
  const std::vector<float> real = {2};
  EXPECT_EQ(complexAt(DType::Float32, bytes(real).data(), 0), std::complex<double>(2, 0));
}

TEST(Value, StatisticsOfComplexNumbersAreOfTheirMagnitudes) {
  const std::vector<std::complex<float>> numbers = {{3, -4}, {0, 0}, {NAN, 0}, {0, 1}};
  EXPECT_EQ(statisticsOf(DType::Complex64, bytes(numbers)), (Statistics{0, 5, 2, 1, 1}));
}

template <class Element, std::size_t Width>
Lanes<Element> taken(const std::vector<Element>& elements) {
  Lanes<Element> lanes;
  takeBy<Width>(bytes(elements).data(), elements.size() / kLanes, lanes);
  return lanes;
}

template <class Element>
void expectWidthsAgree(const std::vector<Element>& elements) {
  const auto text = [](const Lanes<Element>& lanes) {
    return testing::PrintToString(
        std::tuple(lanes.min, lanes.max, lanes.numbers, lanes.zeros, lanes.sum));
  };
  const std::string expected = text(taken<Element, 16>(elements));
  EXPECT_EQ((text(taken<Element, 32>(elements))), expected);
  EXPECT_EQ((text(taken<Element, 64>(elements))), expected);
}

TEST(Value, VectorsOfAnyWidthReturnTheSameLanes) {
  std::vector<float> floats(64);
  for (std::size_t i = 0; i < floats.size(); ++i) {
    floats[i] = static_cast<float>(i % 7) / 3 - static_cast<float>(i % 5);
  }
  expectWidthsAgree(floats);
  expectWidthsAgree(std::vector<double>(floats.begin(), floats.end()));
  floats[3] = std::nanf("");
  floats[21] = HUGE_VALF;
  floats[22] = -HUGE_VALF;
  expectWidthsAgree(floats);
  expectWidthsAgree(std::vector<double>(floats.begin(), floats.end()));
  const Lanes<float> lanes = taken<float, 16>(floats);
  EXPECT_EQ(lanes.numbers[3], 3);
  EXPECT_EQ(lanes.max[5], HUGE_VALF);
}

TEST(Value, StatisticsAreOfTheNumbers) {
  const std::vector<float> floats = {NAN, 4, 0, -1, 1};
  EXPECT_EQ(statisticsOf(DType::Float32, bytes(floats)), (Statistics{-1, 4, 1, 1, 1}));
  EXPECT_EQ(statisticsOf(DType::Float32, {}), Statistics{});
  const std::vector<float> none = {NAN, NAN};
  EXPECT_EQ(statisticsOf(DType::Float32, bytes(none)), (Statistics{0, 0, 0, 2, 0}));
}

TEST(Value, StatisticsOfManyNumbersLeaveOutTheirNans) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  std::vector<float> floats(10'000, 2);  // several chunks
  floats[7'000] = 0;
  EXPECT_EQ(statisticsOf(DType::Float32, bytes(floats)), (Statistics{0, 2, 1.9998, 0, 1}));
  floats[100] = floats[9'999] = std::nanf("");
  floats[3'000] = 4;
  EXPECT_EQ(statisticsOf(DType::Float32, bytes(floats)), (Statistics{0, 4, 2, 2, 1}));
  floats[3'000] = kInfinity;
  floats[8'000] = -kInfinity;
  const Statistics statistics = statisticsOf(DType::Float32, bytes(floats));
  EXPECT_EQ(statistics.min, -kInfinity);
  EXPECT_EQ(statistics.max, kInfinity);
  EXPECT_TRUE(std::isnan(statistics.mean));
  EXPECT_EQ(statistics.nans, 2);
  EXPECT_EQ(statistics.zeros, 1);
}

}  // namespace
}  // namespace shardlens
