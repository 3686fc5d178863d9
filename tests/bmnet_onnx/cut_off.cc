// Values that only a zero point clips: exporters remove a Relu or Clip if the integers of a
// QuantizeLinear or QLinear operator clip the same values. Expected values are those of ONNX
// Runtime 1.30 (CPU, optimizations off), or those of an explicit Relu or Clip.
#include "bmnet/pipeline/compile.h"
#include "bmnet_onnx/calibrated.h"

namespace tputwin::test {
namespace {

using onnx::TensorProto;

const std::vector<float> kValues = {-2, -0.5f, 0.5f, 2};

struct Integers {
  const char* name;
  float scale;
  int type;
  int64_t zero;
  std::vector<float> expected;  // for kValues
};

void PrintTo(const Integers& i, std::ostream* out) { *out << i.name; }

// Adds the scale and zero point of a tensor, as initializers NAME_s and NAME_z.
void add_scale(ModelMaker& maker, const std::string& name, float scale, int64_t zero,
               int type = TensorProto::UINT8) {
  maker.weights(name + "_s", {}, {scale});
  maker.integers(name + "_z", {}, {zero}, type);
}

void quantize(ModelMaker& maker, const std::string& x, const std::string& y,
              const std::string& name) {
  maker.node("QuantizeLinear", {x, name + "_s", name + "_z"}, {y + "/q"});
  maker.node("DequantizeLinear", {y + "/q", name + "_s", name + "_z"}, {y});
}

std::vector<float> in_float(const ModelMaker& maker, const Blobs& inputs) {
  auto network = import(maker.model);
  EXPECT_TRUE(network.ok()) << network.status().message();
  if (!network.ok()) return {};
  auto result = run_float(*network, inputs);
  EXPECT_TRUE(result.ok()) << result.status().message();
  return result.ok() ? result->begin()->second.data : std::vector<float>{};
}

std::vector<float> in_int8(const ModelMaker& maker, const Blobs& inputs) {
  auto net = own_int8(maker.model);
  EXPECT_TRUE(net.ok()) << net.status().message();
  if (!net.ok()) return {};
  auto result = run_int8(*net, inputs);
  EXPECT_TRUE(result.ok()) << result.status().message();
  return result.ok() ? result->begin()->second.data : std::vector<float>{};
}

void expect_within(const std::vector<float>& actual, const std::vector<float>& expected,
                   float tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i], tolerance) << i;
}

class CutOff : public ::testing::TestWithParam<Integers> {
 protected:
  // Two steps of the chip. The chip's range is symmetric: it extends to the larger limit of the
  // integers on both sides.
  float tolerance() const { return 4 * GetParam().scale; }
};

TEST_P(CutOff, BehindALayer) {
  const Integers& p = GetParam();
  ModelMaker maker(13);
  maker.input("x", {1, 1, 1, 4});
  maker.weights("w", {1, 1, 1, 1}, {1});
  add_scale(maker, "in", 2.0f / 128, 128);
  add_scale(maker, "out", p.scale, p.zero, p.type);
  quantize(maker, "x", "d", "in");
  maker.node("Conv", {"d", "w"}, {"c"});
  quantize(maker, "c", "y", "out");
  maker.output("y");
  const Blobs inputs{{"x", {{1, 1, 1, 4}, kValues}}};
  expect_within(in_float(maker, inputs), p.expected, p.scale);
  expect_within(in_int8(maker, inputs), p.expected, tolerance());
}

TEST_P(CutOff, AtAnInput) {
  const Integers& p = GetParam();
  ModelMaker maker(13);
  maker.input("x", {1, 1, 1, 4});
  add_scale(maker, "out", p.scale, p.zero, p.type);
  quantize(maker, "x", "y", "out");
  maker.output("y");
  const Blobs inputs{{"x", {{1, 1, 1, 4}, kValues}}};
  expect_within(in_float(maker, inputs), p.expected, p.scale);
  expect_within(in_int8(maker, inputs), p.expected, tolerance());
}

TEST_P(CutOff, BehindAResidualSum) {
  const Integers& p = GetParam();
  ModelMaker maker(13);
  maker.input("a", {1, 1, 1, 4});
  maker.input("b", {1, 1, 1, 4});
  add_scale(maker, "in", 2.0f / 128, 128);
  add_scale(maker, "out", p.scale, p.zero, p.type);
  quantize(maker, "a", "da", "in");
  quantize(maker, "b", "db", "in");
  maker.node("Add", {"da", "db"}, {"s"});
  quantize(maker, "s", "y", "out");
  maker.output("y");
  const Blobs inputs{{"a", {{1, 1, 1, 4}, {-1, -1, 1, 1}}},
                     {"b", {{1, 1, 1, 4}, {-1, 0.5f, -0.5f, 1}}}};
  expect_within(in_float(maker, inputs), p.expected, p.scale);
  expect_within(in_int8(maker, inputs), p.expected, tolerance());
}

TEST_P(CutOff, OfQLinearConv) {
  const Integers& p = GetParam();
  ModelMaker maker(13);
  maker.input("x", {1, 1, 1, 4});
  add_scale(maker, "in", 2.0f / 128, 128);
  add_scale(maker, "w", 1.0f / 64, 0, TensorProto::INT8);
  add_scale(maker, "out", p.scale, p.zero, p.type);
  maker.integers("w", {1, 1, 1, 1}, {64}, TensorProto::INT8);
  maker.node("QuantizeLinear", {"x", "in_s", "in_z"}, {"q"});
  maker.node("QLinearConv", {"q", "in_s", "in_z", "w", "w_s", "w_z", "out_s", "out_z"}, {"c"});
  maker.node("DequantizeLinear", {"c", "out_s", "out_z"}, {"y"});
  maker.output("y");
  const Blobs inputs{{"x", {{1, 1, 1, 4}, kValues}}};
  expect_within(in_float(maker, inputs), p.expected, p.scale);
  expect_within(in_int8(maker, inputs), p.expected, tolerance());
}

TEST_P(CutOff, OfQLinearMatMul) {
  const Integers& p = GetParam();
  ModelMaker maker(13);
  maker.input("x", {4, 1});
  add_scale(maker, "in", 2.0f / 128, 128);
  add_scale(maker, "w", 1.0f / 64, 0, TensorProto::INT8);
  add_scale(maker, "out", p.scale, p.zero, p.type);
  maker.integers("w", {1, 1}, {64}, TensorProto::INT8);
  maker.node("QuantizeLinear", {"x", "in_s", "in_z"}, {"q"});
  maker.node("QLinearMatMul", {"q", "in_s", "in_z", "w", "w_s", "w_z", "out_s", "out_z"}, {"c"});
  maker.node("DequantizeLinear", {"c", "out_s", "out_z"}, {"y"});
  maker.output("y");
  const Blobs inputs{{"x", {{4, 1}, kValues}}};
  expect_within(in_float(maker, inputs), p.expected, p.scale);
  expect_within(in_int8(maker, inputs), p.expected, tolerance());
}

INSTANTIATE_TEST_SUITE_P(
    Types, CutOff,
    ::testing::Values(
        Integers{"uint8_0", 2.0f / 255, TensorProto::UINT8, 0, {0, 0, 0.502f, 2}},
        Integers{"int8_lowest", 2.0f / 255, TensorProto::INT8, -128, {0, 0, 0.502f, 2}},
        Integers{"uint8_64", 3.0f / 255, TensorProto::UINT8, 64, {-0.753f, -0.5f, 0.5f, 2}},
        Integers{"int8_64", 3.0f / 255, TensorProto::INT8, 64, {-2, -0.5f, 0.5f, 0.741f}},
        Integers{"uint8_255", 2.0f / 255, TensorProto::UINT8, 255, {-2, -0.502f, 0, 0}},
        Integers{"clip_to_1", 1.0f / 255, TensorProto::UINT8, 0, {0, 0, 0.502f, 1}},
        Integers{"symmetric", 2.0f / 127, TensorProto::INT8, 0, {-2, -0.504f, 0.504f, 2}}),
    [](const auto& info) { return std::string(info.param.name); });

// The default zero point is 0 of type uint8.
TEST(CutOff, WithoutAZeroPoint) {
  ModelMaker maker(13);
  maker.input("x", {1, 1, 1, 4});
  maker.weights("s", {}, {2.0f / 255});
  maker.node("QuantizeLinear", {"x", "s"}, {"q"});
  maker.node("DequantizeLinear", {"q", "s"}, {"y"});
  maker.output("y");
  const Blobs inputs{{"x", {{1, 1, 1, 4}, kValues}}};
  expect_within(in_float(maker, inputs), {0, 0, 0.502f, 2}, 0.01f);
  expect_within(in_int8(maker, inputs), {0, 0, 0.502f, 2}, 0.03f);
}

size_t clips(const onnx::ModelProto& model) {
  auto network = import(model);
  EXPECT_TRUE(network.ok()) << network.status().message();
  if (!network.ok()) return 99;
  return static_cast<size_t>(std::ranges::count_if(
      network->ops, [](const net::TensorOp& op) { return is(op, net::Op::clip); }));
}

// No layer is added if the layer before it clips the values, or the chip's own saturation does.
TEST(CutOff, NothingIsAddedWhereNothingIsCut) {
  for (const char* before : {"Relu", "Sigmoid", "Abs", "Softmax"}) {
    ModelMaker maker(13);
    maker.input("x", {1, 4, 2, 2});
    add_scale(maker, "out", 1.0f / 255, 0);
    maker.node(before, {"x"}, {"a"});
    maker.node("MaxPool", {"a"}, {"p"});
    ModelMaker::set(*maker.model.mutable_graph()->mutable_node(1), "kernel_shape",
                    std::vector<int64_t>{2, 2});
    quantize(maker, "p", "y", "out");
    maker.output("y");
    EXPECT_EQ(clips(maker.model), 0u) << before;
  }
  ModelMaker maker(13);
  maker.input("x", {1, 4, 2, 2});
  add_scale(maker, "uint8", 1.0f / 255, 128);
  add_scale(maker, "int8", 1.0f / 255, 0, TensorProto::INT8);
  quantize(maker, "x", "a", "uint8");
  quantize(maker, "a", "y", "int8");
  maker.output("y");
  EXPECT_EQ(clips(maker.model), 0u);
}

// The layer that a zero point adds is fused into the convolution before it, like a Relu.
TEST(CutOff, IsFusedLikeARelu) {
  ModelMaker maker(13);
  maker.input("x", {1, 1, 1, 4});
  maker.weights("w", {1, 1, 1, 1}, {1});
  add_scale(maker, "in", 2.0f / 128, 128);
  add_scale(maker, "out", 2.0f / 255, 0);
  quantize(maker, "x", "d", "in");
  maker.node("Conv", {"d", "w"}, {"c"});
  quantize(maker, "c", "y", "out");
  maker.output("y");
  auto net = own_int8(maker.model);
  ASSERT_TRUE(net.ok()) << net.status().message();
  auto compiled = net::compile(net->network, net->integers);
  ASSERT_TRUE(compiled.ok()) << compiled.status().message();
  for (const auto& op : compiled->optimized.layer())
    EXPECT_EQ(op.type().find("clip"), std::string::npos) << op.type();
}

}  // namespace
}  // namespace tputwin::test
