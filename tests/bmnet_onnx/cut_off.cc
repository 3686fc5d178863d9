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
void add_scale(ModelBuilder& builder, const std::string& name, float scale, int64_t zero,
               int type = TensorProto::UINT8) {
  builder.weights(name + "_s", {}, {scale});
  builder.integers(name + "_z", {}, {zero}, type);
}

void quantize(ModelBuilder& builder, const std::string& x, const std::string& y,
              const std::string& name) {
  builder.node("QuantizeLinear", {x, name + "_s", name + "_z"}, {y + "/q"});
  builder.node("DequantizeLinear", {y + "/q", name + "_s", name + "_z"}, {y});
}

std::vector<float> in_float(const ModelBuilder& builder, const Blobs& inputs) {
  auto network = import(builder.model);
  EXPECT_TRUE(network.ok()) << network.status().message();
  if (!network.ok()) return {};
  auto result = run_float(*network, inputs);
  EXPECT_TRUE(result.ok()) << result.status().message();
  return result.ok() ? result->begin()->second.data : std::vector<float>{};
}

std::vector<float> in_int8(const ModelBuilder& builder, const Blobs& inputs) {
  auto net = own_int8(builder.model);
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

TEST_P(CutOff, AfterALayer) {
  const Integers& p = GetParam();
  ModelBuilder builder(13);
  builder.input("x", {1, 1, 1, 4});
  builder.weights("w", {1, 1, 1, 1}, {1});
  add_scale(builder, "in", 2.0f / 128, 128);
  add_scale(builder, "out", p.scale, p.zero, p.type);
  quantize(builder, "x", "d", "in");
  builder.node("Conv", {"d", "w"}, {"c"});
  quantize(builder, "c", "y", "out");
  builder.output("y");
  const Blobs inputs{{"x", {{1, 1, 1, 4}, kValues}}};
  expect_within(in_float(builder, inputs), p.expected, p.scale);
  expect_within(in_int8(builder, inputs), p.expected, tolerance());
}

TEST_P(CutOff, AtAnInput) {
  const Integers& p = GetParam();
  ModelBuilder builder(13);
  builder.input("x", {1, 1, 1, 4});
  add_scale(builder, "out", p.scale, p.zero, p.type);
  quantize(builder, "x", "y", "out");
  builder.output("y");
  const Blobs inputs{{"x", {{1, 1, 1, 4}, kValues}}};
  expect_within(in_float(builder, inputs), p.expected, p.scale);
  expect_within(in_int8(builder, inputs), p.expected, tolerance());
}

TEST_P(CutOff, AfterAResidualSum) {
  const Integers& p = GetParam();
  ModelBuilder builder(13);
  builder.input("a", {1, 1, 1, 4});
  builder.input("b", {1, 1, 1, 4});
  add_scale(builder, "in", 2.0f / 128, 128);
  add_scale(builder, "out", p.scale, p.zero, p.type);
  quantize(builder, "a", "da", "in");
  quantize(builder, "b", "db", "in");
  builder.node("Add", {"da", "db"}, {"s"});
  quantize(builder, "s", "y", "out");
  builder.output("y");
  const Blobs inputs{{"a", {{1, 1, 1, 4}, {-1, -1, 1, 1}}},
                     {"b", {{1, 1, 1, 4}, {-1, 0.5f, -0.5f, 1}}}};
  expect_within(in_float(builder, inputs), p.expected, p.scale);
  expect_within(in_int8(builder, inputs), p.expected, tolerance());
}

TEST_P(CutOff, OfQLinearConv) {
  const Integers& p = GetParam();
  ModelBuilder builder(13);
  builder.input("x", {1, 1, 1, 4});
  add_scale(builder, "in", 2.0f / 128, 128);
  add_scale(builder, "w", 1.0f / 64, 0, TensorProto::INT8);
  add_scale(builder, "out", p.scale, p.zero, p.type);
  builder.integers("w", {1, 1, 1, 1}, {64}, TensorProto::INT8);
  builder.node("QuantizeLinear", {"x", "in_s", "in_z"}, {"q"});
  builder.node("QLinearConv", {"q", "in_s", "in_z", "w", "w_s", "w_z", "out_s", "out_z"}, {"c"});
  builder.node("DequantizeLinear", {"c", "out_s", "out_z"}, {"y"});
  builder.output("y");
  const Blobs inputs{{"x", {{1, 1, 1, 4}, kValues}}};
  expect_within(in_float(builder, inputs), p.expected, p.scale);
  expect_within(in_int8(builder, inputs), p.expected, tolerance());
}

TEST_P(CutOff, OfQLinearMatMul) {
  const Integers& p = GetParam();
  ModelBuilder builder(13);
  builder.input("x", {4, 1});
  add_scale(builder, "in", 2.0f / 128, 128);
  add_scale(builder, "w", 1.0f / 64, 0, TensorProto::INT8);
  add_scale(builder, "out", p.scale, p.zero, p.type);
  builder.integers("w", {1, 1}, {64}, TensorProto::INT8);
  builder.node("QuantizeLinear", {"x", "in_s", "in_z"}, {"q"});
  builder.node("QLinearMatMul", {"q", "in_s", "in_z", "w", "w_s", "w_z", "out_s", "out_z"}, {"c"});
  builder.node("DequantizeLinear", {"c", "out_s", "out_z"}, {"y"});
  builder.output("y");
  const Blobs inputs{{"x", {{4, 1}, kValues}}};
  expect_within(in_float(builder, inputs), p.expected, p.scale);
  expect_within(in_int8(builder, inputs), p.expected, tolerance());
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
  ModelBuilder builder(13);
  builder.input("x", {1, 1, 1, 4});
  builder.weights("s", {}, {2.0f / 255});
  builder.node("QuantizeLinear", {"x", "s"}, {"q"});
  builder.node("DequantizeLinear", {"q", "s"}, {"y"});
  builder.output("y");
  const Blobs inputs{{"x", {{1, 1, 1, 4}, kValues}}};
  expect_within(in_float(builder, inputs), {0, 0, 0.502f, 2}, 0.01f);
  expect_within(in_int8(builder, inputs), {0, 0, 0.502f, 2}, 0.03f);
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
    ModelBuilder builder(13);
    builder.input("x", {1, 4, 2, 2});
    add_scale(builder, "out", 1.0f / 255, 0);
    builder.node(before, {"x"}, {"a"});
    builder.node("MaxPool", {"a"}, {"p"});
    ModelBuilder::set(*builder.model.mutable_graph()->mutable_node(1), "kernel_shape",
                      std::vector<int64_t>{2, 2});
    quantize(builder, "p", "y", "out");
    builder.output("y");
    EXPECT_EQ(clips(builder.model), 0u) << before;
  }
  ModelBuilder builder(13);
  builder.input("x", {1, 4, 2, 2});
  add_scale(builder, "uint8", 1.0f / 255, 128);
  add_scale(builder, "int8", 1.0f / 255, 0, TensorProto::INT8);
  quantize(builder, "x", "a", "uint8");
  quantize(builder, "a", "y", "int8");
  builder.output("y");
  EXPECT_EQ(clips(builder.model), 0u);
}

// The layer that a zero point adds is fused into the convolution before it, like a Relu.
TEST(CutOff, IsFusedLikeARelu) {
  ModelBuilder builder(13);
  builder.input("x", {1, 1, 1, 4});
  builder.weights("w", {1, 1, 1, 1}, {1});
  add_scale(builder, "in", 2.0f / 128, 128);
  add_scale(builder, "out", 2.0f / 255, 0);
  quantize(builder, "x", "d", "in");
  builder.node("Conv", {"d", "w"}, {"c"});
  quantize(builder, "c", "y", "out");
  builder.output("y");
  auto net = own_int8(builder.model);
  ASSERT_TRUE(net.ok()) << net.status().message();
  auto compiled = net::compile(net->network, net->integers);
  ASSERT_TRUE(compiled.ok()) << compiled.status().message();
  for (const auto& op : compiled->optimized.layer())
    EXPECT_EQ(op.type().find("clip"), std::string::npos) << op.type();
}

}  // namespace
}  // namespace tputwin::test
