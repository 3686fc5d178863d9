// Tensors with several QuantizeLinear readers, or with other readers too. Expected values are those
// of ONNX Runtime 1.30 (CPU, optimizations off), and of its formula.
#include <algorithm>
#include <cmath>

#include "bmnet_onnx/calibrated.h"

namespace tputwin::test {
namespace {

using onnx::TensorProto;

const std::vector<float> kX = {-6, -1.5f, -0.25f, 0.25f, 1.5f, 3, 5, 7};

struct Scale {
  std::string name;
  float scale;
  int64_t zero;
  float least() const { return static_cast<float>(-zero) * scale; }
  float most() const { return static_cast<float>(255 - zero) * scale; }
};
const Scale kNarrow{"narrow", 4.0f / 255, 128}, kWide{"wide", 16.0f / 255, 128},
    kPositive{"positive", 4.0f / 255, 0};

// Returns a net with x and c = conv(x); the input has the range of 8.
ModelBuilder layer() {
  ModelBuilder builder(13);
  builder.input("x", {1, 1, 1, 8});
  builder.weights("w", {1, 1, 1, 1}, {1});
  for (const Scale& scale : {kNarrow, kWide, kPositive, Scale{"in", 8.0f / 128, 128}}) {
    builder.weights(scale.name + "_s", {}, {scale.scale});
    builder.integers(scale.name + "_z", {}, {scale.zero}, TensorProto::UINT8);
  }
  builder.node("QuantizeLinear", {"x", "in_s", "in_z"}, {"xq"});
  builder.node("DequantizeLinear", {"xq", "in_s", "in_z"}, {"xd"});
  builder.node("Conv", {"xd", "w"}, {"c"});
  return builder;
}

void quantize(ModelBuilder& builder, const std::string& x, const std::string& y,
              const Scale& scale) {
  const std::string s = scale.name + "_s", z = scale.name + "_z";
  builder.node("QuantizeLinear", {x, s, z}, {y + "/q"});
  builder.node("DequantizeLinear", {y + "/q", s, z}, {y});
  builder.output(y);
}

std::vector<float> cut(const Scale& scale) {
  std::vector<float> values = kX;
  for (float& v : values) v = std::clamp(v, scale.least(), scale.most());
  return values;
}

void expect_near(const Blobs& result, const std::string& name, const std::vector<float>& expected,
                 float tolerance) {
  ASSERT_TRUE(result.contains(name)) << name;
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(result.at(name).data[i], expected[i], tolerance) << name << " " << i;
}

struct Pair {
  const char* name;
  Scale y, u;
};

void PrintTo(const Pair& pair, std::ostream* out) { *out << pair.name; }

class TwoScales : public ::testing::TestWithParam<Pair> {};

// Each result has its own range, in float and in int8, without calibration.
TEST_P(TwoScales, CutEachByItsOwn) {
  ModelBuilder builder = layer();
  quantize(builder, "c", "y", GetParam().y);
  quantize(builder, "c", "u", GetParam().u);
  const Blobs inputs{{"x", {{1, 1, 1, 8}, kX}}};
  auto network = import(builder.model);
  ASSERT_TRUE(network.ok()) << network.status().message();
  auto floats = run_float(*network, inputs);
  ASSERT_TRUE(floats.ok()) << floats.status().message();
  auto net = own_int8(builder.model);
  ASSERT_TRUE(net.ok()) << net.status().message();
  auto bytes = run_int8(*net, inputs);
  ASSERT_TRUE(bytes.ok()) << bytes.status().message();
  expect_near(*floats, "y", cut(GetParam().y), GetParam().y.scale);
  expect_near(*floats, "u", cut(GetParam().u), GetParam().u.scale);
  // c has steps of 1/16, and so has the input.
  expect_near(*bytes, "y", cut(GetParam().y), 0.15f);
  expect_near(*bytes, "u", cut(GetParam().u), 0.15f);
}

INSTANTIATE_TEST_SUITE_P(SharedQuantized, TwoScales,
                         ::testing::Values(Pair{"NarrowWide", kNarrow, kWide},
                                           Pair{"WideNarrow", kWide, kNarrow},
                                           Pair{"PositiveSigned", kPositive, kNarrow},
                                           Pair{"SignedPositive", kNarrow, kPositive},
                                           Pair{"PositiveWide", kPositive, kWide}),
                         [](const auto& info) { return info.param.name; });

// A second scale after the first: values that the first one clipped stay clipped.
TEST(SharedQuantized, ScaleAfterScale) {
  ModelBuilder builder = layer();
  builder.node("QuantizeLinear", {"c", "narrow_s", "narrow_z"}, {"first/q"});
  builder.node("DequantizeLinear", {"first/q", "narrow_s", "narrow_z"}, {"first"});
  quantize(builder, "first", "y", kWide);
  const Blobs inputs{{"x", {{1, 1, 1, 8}, kX}}};
  auto net = own_int8(builder.model);
  ASSERT_TRUE(net.ok()) << net.status().message();
  auto bytes = run_int8(*net, inputs);
  ASSERT_TRUE(bytes.ok()) << bytes.status().message();
  expect_near(*bytes, "y", cut(kNarrow), 0.15f);
}

// A ReLU and moves between two scales copy bytes; the second scale needs other bytes.
TEST(SharedQuantized, ScalesOnBothSidesOfAMove) {
  for (const Scale& second : {kNarrow, kWide})
    for (const std::string move : {"Relu", "Reshape", "Flatten", "Transpose", "Tile"}) {
      SCOPED_TRACE(::testing::Message() << move << " " << second.name);
      ModelBuilder builder = layer();
      quantize(builder, "c", "first", second.name == "wide" ? kNarrow : kWide);
      builder.model.mutable_graph()->clear_output();
      builder.integers("shape", {4}, {1, 1, 2, 4});
      builder.integers("repeats", {4}, {1, 1, 1, 1});
      std::vector<std::string> operands{"first"};
      if (move == "Reshape") operands.push_back("shape");
      if (move == "Tile") operands.push_back("repeats");
      builder.node(move, operands, {"moved"});
      quantize(builder, "moved", "y", second);
      const Blobs inputs{{"x", {{1, 1, 1, 8}, kX}}};
      auto net = own_int8(builder.model);
      ASSERT_TRUE(net.ok()) << net.status().message();
      auto bytes = run_int8(*net, inputs);
      ASSERT_TRUE(bytes.ok()) << bytes.status().message();
      std::vector<float> expected = cut(kNarrow);
      if (move == "Relu")
        for (float& v : expected) v = std::max(v, 0.0f);
      // the transposition reverses the axes of (1,1,1,8), and keeps the order of the elements
      expect_near(*bytes, "y", expected, 0.15f);
    }
}

// A view of a tensor is quantized with a scale of its own.
TEST(SharedQuantized, ScaleOfAView) {
  for (const bool view_first : {false, true}) {
    ModelBuilder builder = layer();
    builder.integers("shape", {4}, {1, 1, 2, 4});
    builder.node("Reshape", {"c", "shape"}, {"viewed"});
    if (view_first) quantize(builder, "viewed", "u", kNarrow);
    quantize(builder, "c", "y", kWide);
    if (!view_first) quantize(builder, "viewed", "u", kNarrow);
    const Blobs inputs{{"x", {{1, 1, 1, 8}, kX}}};
    auto net = own_int8(builder.model);
    ASSERT_TRUE(net.ok()) << net.status().message();
    auto bytes = run_int8(*net, inputs);
    ASSERT_TRUE(bytes.ok()) << bytes.status().message();
    expect_near(*bytes, "y", cut(kWide), 0.15f);
    expect_near(*bytes, "u", cut(kNarrow), 0.15f);
  }
}

// A reader of floats gets values that the scale clips, in any order of the nodes. Its range must be
// measured.
class OtherReaders : public ::testing::TestWithParam<bool> {};

TEST_P(OtherReaders, SeeTheFloats) {
  for (const char* reader : {"", "Sigmoid", "Neg", "Reshape"}) {
    SCOPED_TRACE(reader);
    const std::string type = reader;
    ModelBuilder builder = layer();
    builder.integers("shape", {4}, {1, 1, 2, 4});
    const auto read = [&] {
      if (type.empty()) return builder.output("c");
      if (type == "Reshape")
        builder.node(type, {"c", "shape"}, {"r"});
      else
        builder.node(type, {"c"}, {"r"});
      builder.output("r");
    };
    if (GetParam()) read();
    quantize(builder, "c", "y", kNarrow);
    if (!GetParam()) read();
    const Blobs inputs{{"x", {{1, 1, 1, 8}, kX}}};
    auto net = calibrated(builder.model, {inputs}, net::ThresholdMethod::maximum);
    ASSERT_TRUE(net.ok()) << net.status().message();
    auto bytes = run_int8(net->net, inputs);
    ASSERT_TRUE(bytes.ok()) << bytes.status().message();
    expect_near(*bytes, "y", cut(kNarrow), 0.15f);
    std::vector<float> expected = kX;
    for (float& v : expected)
      v = type == "Sigmoid" ? 1 / (1 + std::exp(-v)) : type == "Neg" ? -v : v;
    expect_near(*bytes, type.empty() ? "c/output" : "r", expected,
                type == "Sigmoid" ? 0.03f : 0.15f);
    auto alone = own_int8(builder.model);
    EXPECT_FALSE(alone.ok());
  }
}

INSTANTIATE_TEST_SUITE_P(SharedQuantized, OtherReaders, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "Before" : "Behind"; });

// A tensor without a scale of its own has that of two moves that read it.
TEST(SharedQuantized, TwoMovesOfOneScale) {
  ModelBuilder builder(13);
  builder.input("x", {1, 2, 2, 2});
  builder.weights("s", {}, {1.0f / 64});
  builder.weights("t", {}, {1.0f / 32});
  builder.weights("w", {2, 2, 1, 1}, {1, 0.5f, -0.5f, 0.25f});
  builder.integers("zero", {}, {0}, onnx::TensorProto::INT8);
  builder.integers("shape", {2}, {1, 8});
  builder.node("QuantizeLinear", {"x", "s", "zero"}, {"xq"});
  builder.node("DequantizeLinear", {"xq", "s", "zero"}, {"xd"});
  builder.node("Conv", {"xd", "w"}, {"c"});
  builder.node("Reshape", {"c", "shape"}, {"a"});
  ModelBuilder::set(builder.node("Transpose", {"c"}, {"b"}), "perm",
                    std::vector<int64_t>{0, 2, 3, 1});
  for (const std::string name : {"a", "b"}) {
    builder.node("QuantizeLinear", {name, "t", "zero"}, {name + "q"});
    builder.node("DequantizeLinear", {name + "q", "t", "zero"}, {name + "d"});
    builder.output(name + "d");
  }
  auto net = own_int8(builder.model);
  ASSERT_TRUE(net.ok()) << net.status().message();
  EXPECT_EQ(tensor_threshold(*net, "c"), 4);
}

}  // namespace
}  // namespace tputwin::test
