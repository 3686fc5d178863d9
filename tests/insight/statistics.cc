// Shares of saturated and zero results.
#include "insight/statistics.h"

#include <gmock/gmock.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "chip/family.h"

namespace tputwin::insight::testing {
namespace {

using ::testing::HasSubstr;

// Returns a result of four elements with these bytes.
template <class T>
ResultStatistics counted(DType dtype, const std::array<T, 4>& values) {
  auto device =
      Device::create({.chip = &first_of(ChipFamily::bm1684), .global_bytes = uint64_t{1} << 20});
  std::memcpy((*device)->memories().take_local().lane(0), values.data(), sizeof values);
  TensorView view{.dtype = dtype,
                  .plane_stride = 1,
                  .shape = {1, 1, 1, 4},
                  .stride = {0, 0, 0, static_cast<uint32_t>(sizeof(T))}};
  Unary op{.kind = Unary::Kind::abs, .out = view, .in = view};
  Statistics statistics;
  const CountedCommand command{.launch = "net", .number = 3, .call = "call", .layer = "conv1"};
  statistics.add(command, op, (*device)->memories().take_all());
  statistics.add(command, op, (*device)->memories().take_all());
  const auto rows = statistics.rows();
  EXPECT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows.at(0).elements, 8u) << "of two runs";
  return rows.at(0);
}

TEST(Statistics, CountIntegersAtTheirLimits) {
  const ResultStatistics i8 = counted<int8_t>(DType::i8, {127, -128, 0, 5});
  EXPECT_EQ(i8.saturated, 4u);
  EXPECT_EQ(i8.zero, 2u);
  const ResultStatistics u8 = counted<uint8_t>(DType::u8, {255, 0, 0, 128});
  EXPECT_EQ(u8.saturated, 2u) << "zero is no limit";
  EXPECT_EQ(u8.zero, 4u);
  EXPECT_EQ(counted<int16_t>(DType::i16, {32767, -32768, 127, 0}).saturated, 4u);
  EXPECT_EQ(counted<int32_t>(DType::i32, {INT32_MAX, INT32_MIN, 32767, 0}).saturated, 4u);
}

TEST(Statistics, CountWhatIsNoNumber) {
  const ResultStatistics f32 =
      counted<uint32_t>(DType::f32, {0x7f800000, 0x7fc00000, 0x80000000, 0x3f800000});
  EXPECT_EQ(f32.saturated, 2u);
  EXPECT_EQ(f32.nan, 2u);
  EXPECT_EQ(f32.zero, 2u);
  const ResultStatistics f16 = counted<uint16_t>(DType::f16, {0x7c00, 0xfc01, 0, 0x3c00});
  EXPECT_EQ(f16.saturated, 2u);
  EXPECT_EQ(f16.nan, 2u);
}

TEST(Statistics, OfLayersAreTheSumsOfTheirResults) {
  const std::vector<ResultStatistics> layers =
      by_layer({{.launch = "net", .layer = "a", .elements = 10, .saturated = 1, .zero = 2},
                {.launch = "net", .layer = "b", .elements = 5, .zero = 5},
                {.launch = "net", .layer = "a", .elements = 30, .saturated = 3, .nan = 1},
                {.launch = "net", .elements = 99}});
  ASSERT_EQ(layers.size(), 2u);
  EXPECT_EQ(layers[0].layer, "a");
  EXPECT_EQ(layers[0].elements, 40u);
  EXPECT_EQ(layers[0].saturated, 4u);
  EXPECT_EQ(layers[0].nan, 1u);
  EXPECT_EQ(layers[1].zero, 5u);
}

TEST(Statistics, AreATableAndJson) {
  const std::vector<ResultStatistics> rows{counted<int8_t>(DType::i8, {127, -128, 0, 5})};
  EXPECT_THAT(to_table(rows), HasSubstr("50.00 %"));
  EXPECT_THAT(to_table(rows), HasSubstr("\nnet                  conv1 "));
  const nlohmann::json json = to_json(rows);
  EXPECT_EQ(json["commands"][0]["launch"], "net");
  EXPECT_EQ(json["commands"][0]["command"], 3);
  EXPECT_EQ(json["commands"][0]["type"], "i8");
  EXPECT_EQ(json["commands"][0]["saturated"], 4);
  EXPECT_EQ(json["layers"][0]["layer"], "conv1");
  EXPECT_EQ(json["layers"][0]["saturated"], 4);
}

}  // namespace
}  // namespace tputwin::insight::testing
