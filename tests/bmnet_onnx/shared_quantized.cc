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
ModelMaker layer() {
  ModelMaker maker(13);
  maker.input("x", {1, 1, 1, 8});
  maker.weights("w", {1, 1, 1, 1}, {1});
  for (const Scale& scale : {kNarrow, kWide, kPositive, Scale{"in", 8.0f / 128, 128}}) {
    maker.weights(scale.name + "_s", {}, {scale.scale});
    maker.integers(scale.name + "_z", {}, {scale.zero}, TensorProto::UINT8);
  }
  maker.node("QuantizeLinear", {"x", "in_s", "in_z"}, {"xq"});
  maker.node("DequantizeLinear", {"xq", "in_s", "in_z"}, {"xd"});
  maker.node("Conv", {"xd", "w"}, {"c"});
  return maker;
}

void quantize(ModelMaker& maker, const std::string& x, const std::string& y, const Scale& scale) {
  const std::string s = scale.name + "_s", z = scale.name + "_z";
  maker.node("QuantizeLinear", {x, s, z}, {y + "/q"});
  maker.node("DequantizeLinear", {y + "/q", s, z}, {y});
  maker.output(y);
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
  ModelMaker maker = layer();
  quantize(maker, "c", "y", GetParam().y);
  quantize(maker, "c", "u", GetParam().u);
  const Blobs inputs{{"x", {{1, 1, 1, 8}, kX}}};
  auto network = import(maker.model);
  ASSERT_TRUE(network.ok()) << network.status().message();
  auto floats = run_float(*network, inputs);
  ASSERT_TRUE(floats.ok()) << floats.status().message();
  auto net = own_int8(maker.model);
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
  ModelMaker maker = layer();
  maker.node("QuantizeLinear", {"c", "narrow_s", "narrow_z"}, {"first/q"});
  maker.node("DequantizeLinear", {"first/q", "narrow_s", "narrow_z"}, {"first"});
  quantize(maker, "first", "y", kWide);
  const Blobs inputs{{"x", {{1, 1, 1, 8}, kX}}};
  auto net = own_int8(maker.model);
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
      ModelMaker maker = layer();
      quantize(maker, "c", "first", second.name == "wide" ? kNarrow : kWide);
      maker.model.mutable_graph()->clear_output();
      maker.integers("shape", {4}, {1, 1, 2, 4});
      maker.integers("repeats", {4}, {1, 1, 1, 1});
      std::vector<std::string> operands{"first"};
      if (move == "Reshape") operands.push_back("shape");
      if (move == "Tile") operands.push_back("repeats");
      maker.node(move, operands, {"moved"});
      quantize(maker, "moved", "y", second);
      const Blobs inputs{{"x", {{1, 1, 1, 8}, kX}}};
      auto net = own_int8(maker.model);
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
    ModelMaker maker = layer();
    maker.integers("shape", {4}, {1, 1, 2, 4});
    maker.node("Reshape", {"c", "shape"}, {"viewed"});
    if (view_first) quantize(maker, "viewed", "u", kNarrow);
    quantize(maker, "c", "y", kWide);
    if (!view_first) quantize(maker, "viewed", "u", kNarrow);
    const Blobs inputs{{"x", {{1, 1, 1, 8}, kX}}};
    auto net = own_int8(maker.model);
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
    ModelMaker maker = layer();
    maker.integers("shape", {4}, {1, 1, 2, 4});
    const auto read = [&] {
      if (type.empty()) return maker.output("c");
      if (type == "Reshape")
        maker.node(type, {"c", "shape"}, {"r"});
      else
        maker.node(type, {"c"}, {"r"});
      maker.output("r");
    };
    if (GetParam()) read();
    quantize(maker, "c", "y", kNarrow);
    if (!GetParam()) read();
    const Blobs inputs{{"x", {{1, 1, 1, 8}, kX}}};
    auto net = calibrated(maker.model, {inputs}, net::ThresholdMethod::maximum);
    ASSERT_TRUE(net.ok()) << net.status().message();
    auto bytes = run_int8(net->net, inputs);
    ASSERT_TRUE(bytes.ok()) << bytes.status().message();
    expect_near(*bytes, "y", cut(kNarrow), 0.15f);
    std::vector<float> expected = kX;
    for (float& v : expected)
      v = type == "Sigmoid" ? 1 / (1 + std::exp(-v)) : type == "Neg" ? -v : v;
    expect_near(*bytes, type.empty() ? "c/output" : "r", expected,
                type == "Sigmoid" ? 0.03f : 0.15f);
    auto alone = own_int8(maker.model);
    EXPECT_FALSE(alone.ok());
  }
}

INSTANTIATE_TEST_SUITE_P(SharedQuantized, OtherReaders, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "Before" : "Behind"; });

// A tensor without a scale of its own has that of two moves that read it.
TEST(SharedQuantized, TwoMovesOfOneScale) {
  ModelMaker maker(13);
  maker.input("x", {1, 2, 2, 2});
  maker.weights("s", {}, {1.0f / 64});
  maker.weights("t", {}, {1.0f / 32});
  maker.weights("w", {2, 2, 1, 1}, {1, 0.5f, -0.5f, 0.25f});
  maker.integers("zero", {}, {0}, onnx::TensorProto::INT8);
  maker.integers("shape", {2}, {1, 8});
  maker.node("QuantizeLinear", {"x", "s", "zero"}, {"xq"});
  maker.node("DequantizeLinear", {"xq", "s", "zero"}, {"xd"});
  maker.node("Conv", {"xd", "w"}, {"c"});
  maker.node("Reshape", {"c", "shape"}, {"a"});
  ModelMaker::set(maker.node("Transpose", {"c"}, {"b"}), "perm", std::vector<int64_t>{0, 2, 3, 1});
  for (const std::string name : {"a", "b"}) {
    maker.node("QuantizeLinear", {name, "t", "zero"}, {name + "q"});
    maker.node("DequantizeLinear", {name + "q", "t", "zero"}, {name + "d"});
    maker.output(name + "d");
  }
  auto net = own_int8(maker.model);
  ASSERT_TRUE(net.ok()) << net.status().message();
  EXPECT_EQ(tensor_threshold(*net, "c"), 4);
}

}  // namespace
}  // namespace tputwin::test
