// Nets of bytes of the BM1684 are rewritten before they are packed, as nets of floats are.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "bmnet/targets/bm1684/bytes/rewrite.h"
#include "bmnet/targets/bm1684/target.h"
#include "bmnet_bm1684x/net_builder.h"

namespace tputwin::net::testing {
namespace {

using Dims = std::vector<int64_t>;

size_t layers_of(const Network& network, Op kind) {
  return static_cast<size_t>(
      std::ranges::count_if(network.ops, [&](const TensorOp& op) { return is(op, kind); }));
}

// Inserts a layer of one input before the end, which then reads its result.
void append_layer(Network& network, TensorOp op, const std::string& name, const Dims& shape) {
  TensorOp& end = network.ops.back();
  op.set_name(name);
  op.add_bottom(end.bottom(0));
  *op.add_input_shape() = end.input_shape(0);
  op.add_top(name);
  *op.add_output_shape() = make_shape(shape);
  end.set_bottom(0, name);
  *end.mutable_input_shape(0) = make_shape(shape);
  network.ops.insert(network.ops.end() - 1, std::move(op));
}

constexpr int64_t kLength = 24, kOutputs = 70;

// An inner product of small results, its view, and constants that are added to it.
Result<Network> sum_after_product(int64_t rows, float least, float most, bool has_view) {
  TensorOp product, view, sum;
  set_type(product, Op::inner_product);
  auto& p = *product.mutable_tg_inner_product_param();
  p.set_num_output(kOutputs);
  p.set_bias_term(false);
  p.set_weight_transpose(true);
  TW_ASSIGN_OR_RETURN(network, layer_net(product, {{rows, kLength}},
                                         {random_blob({kOutputs, kLength}, 3, -0.05f, 0.05f)}));
  const Dims shape = has_view ? Dims{1, rows, kOutputs} : Dims{rows, kOutputs};
  set_type(view, Op::reshape);
  if (has_view) append_layer(network, view, "view", shape);
  set_type(sum, Op::arithmetic);
  sum.mutable_tg_arithmetic_param()->set_operation(::bmnet::TGArithmeticParameter::ADD);
  Dims constants(shape.size(), 1);
  constants.back() = kOutputs;
  *sum.mutable_tg_arithmetic_param()->mutable_b_shape() = make_shape(constants);
  append_layer(network, sum, "sum", shape);
  network.blobs["sum"] = {random_blob(constants, 5, least, most)};
  return network;
}

// Constants become biases where bytes stay as exact: their range may be twice that of the product.
TEST(Bm1684Rewritten, ConstantsBecomeBiases) {
  const bm1684x::ScopedTarget scope(bm1684::bm1684_target());
  for (const int64_t rows : {4, 30})
    for (const bool has_view : {false, true})
      for (const float most : {0.3f, 20.0f}) {
        SCOPED_TRACE(fmt::format("{} rows, view {}, constants to {}", rows, has_view, most));
        auto network = sum_after_product(rows, -most, most, has_view);
        ASSERT_TRUE(network.ok()) << network.status().message();
        const Values inputs{{"x0", random_blob({rows, kLength}, 1)}};
        EXPECT_EQ(compare(*network, DType::i8, 4e-2f, inputs), "");
        auto table = bm1684::rewrite(*network, largest_values(*network, inputs));
        ASSERT_TRUE(table.ok()) << table.status().message();
        const bool is_bytes = rows <= 16;
        EXPECT_EQ(layers_of(*network, Op::arithmetic), is_bytes && most > 1 ? 1u : 0u);
      }
}

// On the BM1684X the view between a product and its constants holds the sum, with its range.
TEST(Bm1684xSimplify, ViewsOfSumsHaveTheirRange) {
  for (const int64_t rows : {4, 30}) {
    auto network = sum_after_product(rows, 2, 20, true);
    ASSERT_TRUE(network.ok()) << network.status().message();
    TensorOp relu;
    set_type(relu, Op::activation);
    relu.mutable_tg_activation_param()->set_activation(::bmnet::RELU);
    append_layer(*network, relu, "relu", {1, rows, kOutputs});
    const Values inputs{{"x0", random_blob({rows, kLength}, 1)}};
    EXPECT_EQ(compare(*network, DType::i8, 4e-2f, inputs), "") << rows;
  }
}

// A product of bytes, or of floats if it has many rows, and a layer after it.
Network layer_after_product(bool has_bytes, TensorOp op, std::vector<Blob> blobs = {}) {
  NetBuilder b;
  TensorOp product;
  set_type(product, Op::inner_product);
  auto& p = *product.mutable_tg_inner_product_param();
  p.set_num_output(kOutputs);
  p.set_bias_term(false);
  p.set_weight_transpose(true);
  const int64_t rows = has_bytes ? 8 : 30;
  const std::string y = b.layer(product, {b.input("x", {rows, kLength})},
                                {net::testing::random_blob({kOutputs, kLength}, 3)});
  const std::string view = b.layer(reshape({rows, 7, 10, 1}), {y});
  return b.finished({b.layer(std::move(op), {view}, std::move(blobs))});
}

Network rewritten(Network network) {
  const bm1684x::ScopedTarget scope(bm1684::bm1684_target());
  const Values inputs = random_inputs(network, 1);
  EXPECT_EQ(compare(network, DType::i8, 4e-2f, inputs), "");
  EXPECT_TRUE(bm1684::rewrite(network, largest_values(network, inputs)).ok());
  return network;
}

// Factors that are all equal stay a layer of bytes. Those of floats become a power.
TEST(Bm1684Rewritten, EqualFactorsOfBytesStay) {
  TensorOp scale;
  set_type(scale, Op::scale);
  scale.mutable_tg_scale_param()->set_axis(1);
  const Blob factors{{7}, std::vector<float>(7, 0.5f)};
  EXPECT_EQ(layers_of(rewritten(layer_after_product(true, scale, {factors})), Op::scale), 1u);
  EXPECT_EQ(layers_of(rewritten(layer_after_product(false, scale, {factors})), Op::scale), 0u);
}

// Permutations that keep the order of elements are names of floats. Cells are moved.
TEST(Bm1684Rewritten, OrderedPermutationsOfFloatsAreRenames) {
  TensorOp permute;
  set_type(permute, Op::permute);
  for (const uint32_t axis : {0, 1, 3, 2}) permute.mutable_tg_permute_param()->add_order(axis);
  EXPECT_EQ(layers_of(rewritten(layer_after_product(true, permute)), Op::permute), 1u);
  EXPECT_EQ(layers_of(rewritten(layer_after_product(false, permute)), Op::permute), 0u);
}

// Products of floats before functions are divided as those of nets of floats are.
TEST(Bm1684Rewritten, WideProductsAreDivided) {
  NetBuilder b;
  TensorOp product, gate;
  set_type(product, Op::inner_product);
  auto& p = *product.mutable_tg_inner_product_param();
  p.set_num_output(1500);
  p.set_bias_term(false);
  p.set_weight_transpose(true);
  set_type(gate, Op::activation);
  gate.mutable_tg_activation_param()->set_activation(::bmnet::SIGMOID);
  const std::string y =
      b.layer(product, {b.input("x", {100, 384})}, {net::testing::random_blob({1500, 384}, 3)});
  EXPECT_GT(layers_of(rewritten(b.finished({b.layer(gate, {y})})), Op::activation), 1u);
}

// softmax(a * b) * c after a convolution, whose results are bytes.
Result<Network> long_attention(int64_t heads, int64_t rows, int64_t columns, int64_t width) {
  const std::string text = fmt::format(
      "layer {{ name: 'a' type: 'Input' top: 'a' input_param {{ shape {{ dim: 1 dim: {0} dim: {1} "
      "dim: {3} }} }} }} layer {{ name: 'b' type: 'Input' top: 'b' input_param {{ shape {{ dim: 1 "
      "dim: {0} dim: {3} dim: {2} }} }} }} layer {{ name: 'c' type: 'Input' top: 'c' input_param "
      "{{ shape {{ dim: 1 dim: {0} dim: {2} dim: {3} }} }} }} layer {{ name: 'first' type: "
      "'Convolution' bottom: 'a' top: 'first' convolution_param {{ kernel_size: 1 bias_term: false "
      "num_output: {0} }} }} layer {{ name: 'last' type: 'Convolution' bottom: 'c' top: 'last' "
      "convolution_param {{ kernel_size: 1 bias_term: false num_output: {0} }} }}",
      heads, rows, columns, width);
  TW_ASSIGN_OR_RETURN(
      network,
      random_net(text, {{"first", {{heads, heads, 1, 1}}}, {"last", {{heads, heads, 1, 1}}}}, 1));
  const auto add = [&](Op kind, const std::string& name, const std::vector<std::string>& from,
                       const Dims& shape) {
    TensorOp op;
    set_type(op, kind);
    op.set_name(name);
    for (const std::string& tensor : from) {
      op.add_bottom(tensor);
      *op.add_input_shape() = *network.shape_of(tensor);
    }
    if (kind == Op::softmax) op.mutable_tg_softmax_param()->set_axis(3);
    op.add_top(name);
    *op.add_output_shape() = make_shape(shape);
    network.ops.insert(network.ops.end() - 1, std::move(op));
  };
  add(Op::matmul, "scores", {"first", "b"}, {1, heads, rows, columns});
  add(Op::softmax, "weights", {"scores"}, {1, heads, rows, columns});
  add(Op::matmul, "result", {"weights", "last"}, {1, heads, rows, width});
  TensorOp& end = network.ops.back();
  end.clear_bottom();
  end.clear_input_shape();
  end.add_bottom("result");
  *end.add_input_shape() = make_shape({1, heads, rows, width});
  return network;
}

TEST(Bm1684Rewritten, LongAttentionIsDivided) {
  const bm1684x::ScopedTarget scope(bm1684::bm1684_target());
  auto network = long_attention(2, 600, 1500, 12);
  ASSERT_TRUE(network.ok()) << network.status().message();
  const Values inputs = random_inputs(*network, 1);
  EXPECT_EQ(compare(*network, DType::i8, 4e-2f, inputs), "");
  const NetCalibrationParameter table = largest_values(*network, inputs);
  ASSERT_TRUE(bm1684::rewrite(*network, table).ok());
  EXPECT_GT(layers_of(*network, Op::softmax), 2u);
}

}  // namespace
}  // namespace tputwin::net::testing
