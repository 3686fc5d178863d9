// Attention: products, a factor and a softmax between them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "bmnet/targets/bm1684/target.h"
#include "bmnet/targets/bm1684x/simplify.h"
#include "bmnet/targets/bm1684x/windows/long_attention.h"
#include "bmnet_bm1684x/support.h"

namespace tputwin::net::testing {
namespace {

struct Heads {
  int64_t heads, rows, columns, width;
  bool has_heads = true;  // as an axis
  int64_t samples = 1;
};

std::vector<int64_t> matrix(const Heads& h, int64_t rows, int64_t columns) {
  if (!h.has_heads) return {h.heads, rows, columns};
  return {h.samples, h.heads, rows, columns};
}

// Inserts a layer before the end, which then reads its result.
void append(Network& network, TensorOp op, const std::string& name,
            const std::vector<int64_t>& shape) {
  TensorOp& end = network.ops.back();
  op.set_name(name);
  op.mutable_bottom()->Add(std::string(end.bottom(0)));
  *op.add_input_shape() = end.input_shape(0);
  if (op.bottom_size() == 2) op.mutable_bottom()->SwapElements(0, 1);
  if (op.bottom_size() == 2) op.mutable_input_shape()->SwapElements(0, 1);
  op.add_top(name);
  *op.add_output_shape() = make_shape(shape);
  end.set_bottom(0, name);
  *end.mutable_input_shape(0) = make_shape(shape);
  network.ops.insert(network.ops.end() - 1, std::move(op));
}

enum class Mask {
  none,
  constants,
  constant_row,
  tensor,
  row,
  of_samples,
  of_heads,
  constant_heads
};

void add_mask(Network& network, TensorOp& softmax, const Heads& h, Mask mask) {
  if (mask == Mask::none) return;
  const bool is_row = mask == Mask::constant_row || mask == Mask::row || mask == Mask::of_samples;
  const bool has_matrices = mask == Mask::of_heads || mask == Mask::constant_heads;
  Heads own{.heads = has_matrices ? h.heads : 1, .has_heads = h.has_heads};
  if (has_matrices || mask == Mask::of_samples) own.samples = h.samples;
  const std::vector<int64_t> shape = matrix(own, is_row ? 1 : h.rows, h.columns);
  if (mask == Mask::constants || mask == Mask::constant_row || mask == Mask::constant_heads) {
    *softmax.mutable_tg_softmax_param()->mutable_addend_shape() = make_shape(shape);
    network.blobs["softmax"] = {random_blob(shape, 3)};
    return;
  }
  TensorOp start = network.ops.front();
  start.set_name("mask");
  start.set_top(0, "mask");
  *start.mutable_output_shape(0) = make_shape(shape);
  network.ops.insert(network.ops.begin(), start);
  softmax.add_bottom("mask");
  *softmax.add_input_shape() = make_shape(shape);
}

// softmax(factor * q * k + mask) * v. The elements of k are those of v.
Result<Network> attention(const Heads& h, float factor, Mask mask = Mask::none) {
  TensorOp product;
  set_type(product, Op::matmul);
  TW_ASSIGN_OR_RETURN(
      network, layer_net(product, {matrix(h, h.rows, h.width), matrix(h, h.width, h.columns)}, {}));
  const std::vector<int64_t> scores = matrix(h, h.rows, h.columns);
  const std::vector<int64_t> values = matrix(h, h.columns, h.width);
  TensorOp reshape, power, softmax;
  set_type(reshape, Op::reshape);
  reshape.set_name("v");
  reshape.add_bottom("x1");
  reshape.add_top("v");
  *reshape.add_input_shape() = make_shape(matrix(h, h.width, h.columns));
  *reshape.add_output_shape() = make_shape(values);
  network.ops.insert(network.ops.end() - 1, std::move(reshape));
  set_type(power, Op::power);
  power.mutable_tg_power_param()->set_scale(factor);
  append(network, power, "factor", scores);
  set_type(softmax, Op::softmax);
  softmax.mutable_tg_softmax_param()->set_axis(static_cast<int>(scores.size()) - 1);
  add_mask(network, softmax, h, mask);
  append(network, softmax, "softmax", scores);
  product.add_bottom("v");
  *product.add_input_shape() = make_shape(values);
  append(network, product, "result", matrix(h, h.rows, h.width));
  return network;
}

size_t count_of(const Network& network, Op kind) {
  return static_cast<size_t>(
      std::ranges::count_if(network.ops, [&](const TensorOp& op) { return is(op, kind); }));
}

const Heads kHeads[] = {{2, 700, 1500, 16},        {3, 577, 2000, 8}, {1, 4100, 130, 12},
                        {2, 257, 3000, 24, false}, {2, 50, 60, 16},   {5, 9, 33, 7}};

TEST(Bm1684xAttention, HasTheValuesOfFloatExecution) {
  for (const Heads& h : kHeads)
    for (const float factor : h.rows < 100 ? std::vector{-0.3f, 3.0f} : std::vector{-0.3f}) {
      SCOPED_TRACE(fmt::format("{} heads of {} x {}, {}", h.heads, h.rows, h.columns, factor));
      const auto network = attention(h, factor);
      ASSERT_TRUE(network.ok()) << network.status().message();
      const Values inputs{{"x0", random_blob(matrix(h, h.rows, h.width), 1)},
                          {"x1", random_blob(matrix(h, h.width, h.columns), 2)}};
      expect_equal(*network, inputs, 2);
      EXPECT_EQ(compare(*network, DType::i8, 4e-2f, inputs), "");
      const bm1684x::ScopedTarget scope(bm1684::bm1684_target());
      EXPECT_EQ(compare(*network, DType::f32, 1e-4f, inputs), "") << "BM1684";
      EXPECT_EQ(compare(*network, DType::i8, 4e-2f, inputs), "") << "BM1684";
    }
}

TEST(Bm1684xAttention, AddsMasks) {
  for (const Heads& h : {Heads{2, 577, 1500, 16}, {2, 257, 3000, 8, false}, {2, 50, 60, 16}})
    for (const Mask mask : {Mask::constants, Mask::constant_row, Mask::tensor, Mask::row}) {
      SCOPED_TRACE(fmt::format("{} x {}, mask {}", h.rows, h.columns, static_cast<int>(mask)));
      auto network = attention(h, 0.25f, mask);
      ASSERT_TRUE(network.ok()) << network.status().message();
      Values inputs{{"x0", random_blob(matrix(h, h.rows, h.width), 1)},
                    {"x1", random_blob(matrix(h, h.width, h.columns), 2)}};
      if (const TensorShape* shape = network->shape_of("mask"))
        inputs["mask"] = random_blob(dims(*shape), 4);
      expect_equal(*network, inputs, 2);
      EXPECT_EQ(compare(*network, DType::i8, 4e-2f, inputs), "");
      ASSERT_TRUE(bm1684x::divide_long_attention(*network, bm1684x::Types{}).ok());
      EXPECT_EQ(count_of(*network, Op::power), 1u);
    }
}

// Masks of each sample and of each head, as batches of texts and relative positions have them.
TEST(Bm1684xAttention, AddsMasksOfSamplesAndHeads) {
  for (const Heads& h : {Heads{2, 400, 1500, 8, true, 2}, Heads{3, 577, 1500, 4}})
    for (const Mask mask : {Mask::none, Mask::constants, Mask::tensor, Mask::of_samples,
                            Mask::of_heads, Mask::constant_heads}) {
      SCOPED_TRACE(fmt::format("{} samples, mask {}", h.samples, static_cast<int>(mask)));
      auto network = attention(h, 0.25f, mask);
      ASSERT_TRUE(network.ok()) << network.status().message();
      Values inputs{{"x0", random_blob(matrix(h, h.rows, h.width), 1)},
                    {"x1", random_blob(matrix(h, h.width, h.columns), 2)}};
      if (const TensorShape* shape = network->shape_of("mask"))
        inputs["mask"] = random_blob(dims(*shape), 4);
      expect_equal(*network, inputs, 2);
      {
        const bm1684x::ScopedTarget scope(bm1684::bm1684_target());
        EXPECT_EQ(compare(*network, DType::f32, 1e-4f, inputs), "") << "BM1684";
        EXPECT_EQ(compare(*network, DType::i8, 4e-2f, inputs), "") << "BM1684";
      }
      bm1684x::simplify(*network, false);
      ASSERT_TRUE(bm1684x::divide_long_attention(*network, bm1684x::Types{}).ok());
      EXPECT_GT(count_of(*network, Op::softmax), 1u);
    }
}

// A factor of at most 1 goes to the left operand, and long scores are divided.
TEST(Bm1684xAttention, IsDividedIfScoresAreLong) {
  for (const Heads& h : kHeads) {
    SCOPED_TRACE(fmt::format("{} heads of {} x {}", h.heads, h.rows, h.columns));
    auto network = attention(h, 0.5f);
    ASSERT_TRUE(network.ok()) << network.status().message();
    bm1684x::simplify(*network, false);
    const bool is_moved = h.width < h.columns;
    const auto factor =
        std::ranges::find_if(network->ops, [](const TensorOp& op) { return is(op, Op::power); });
    EXPECT_EQ(factor->bottom(0), is_moved ? "x0" : "y");
    const bm1684x::Types types;
    ASSERT_TRUE(bm1684x::divide_long_attention(*network, types).ok());
    EXPECT_EQ(count_of(*network, Op::softmax) > 1, h.rows > 200);
  }
}

}  // namespace
}  // namespace tputwin::net::testing
