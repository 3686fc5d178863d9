// Attributes of operations other than operands appear in text and JSON, on every chip.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "isa/bm1880_codec.h"
#include "isa/text.h"

namespace tputwin::isa {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

nlohmann::json json_of(const Operation& op) {
  const Command command{.instruction = {.op = op}};
  return nlohmann::json::parse(to_json({&command, 1}))[0];
}

constexpr Window kWindow{{.kernel = 3, .stride = 2, .pad_before = 1}, {.kernel = 5, .insert = 2}};

TEST(Attributes, OfABm1880Convolution) {
  const Conv2dBm1880 op{.window = kWindow, .relu = true, .rshift = 7};
  EXPECT_THAT(describe(Operation(op)),
              EndsWith(" kernel 3x5 stride 2x1 pad 1,0,0,0 insert 0,0,2,0 relu rshift 7"));
  const auto json = json_of(op);
  EXPECT_EQ(json["kernel"], "3x5");
  EXPECT_EQ(json["relu"], true);
  EXPECT_EQ(json["rshift"], 7);
}

TEST(Attributes, OfABm1684xConvolution) {
  Conv2dBm1684xInt8 op{.weight = Source::value(0xfd, DType::i8), .window = kWindow};
  op.zero_point = Source::value(3, DType::u8);
  op.rshift = 5;
  op.is_rotated = true;
  const std::string text = describe(Operation(op));
  EXPECT_THAT(text, AllOf(HasSubstr(" kernel 3x5 "), HasSubstr(" weight 0xfd zero_point 0x3"),
                          HasSubstr(" turned"), EndsWith(" rshift 5")));
  EXPECT_THAT(text, Not(HasSubstr("relu")));
  EXPECT_THAT(to_text(Instruction{.op = op}), EndsWith(text));
  const auto json = json_of(op);
  EXPECT_EQ(json["zero_point"], "0x3");
  EXPECT_EQ(json["turned"], true);
  EXPECT_FALSE(json.contains("relu"));
}

TEST(Attributes, RoundingAndNumbers) {
  EXPECT_THAT(describe(Operation(Convert{.rounding = Rounding::toward_zero})),
              EndsWith(" rounding toward_zero"));
  FloatFunction elu{.kind = FloatFunction::Kind::elu};
  elu.parameters.alpha = 0.5f;
  EXPECT_THAT(describe(Operation(elu)), EndsWith(" alpha 0.5"));
  EXPECT_EQ(json_of(elu)["alpha"], 0.5);
}

TEST(Attributes, OfACallOfTheHost) {
  const CpuCall call{.name = "softmax", .params = {1, 2, 3}};
  EXPECT_EQ(describe(Operation(call)), "cpu_op operator softmax params_bytes 3");
}

}  // namespace
}  // namespace tputwin::isa
