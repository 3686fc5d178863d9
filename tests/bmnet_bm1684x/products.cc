// Products of matrices in every type.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "bmnet/targets/bm1684x/products/packed_weights.h"
#include "bmnet_bm1684x/support.h"

namespace tputwin::net::testing {
namespace {

struct Shapes {
  std::vector<int64_t> a, b;
};

const Shapes kMatrices[] = {{{20, 30}, {30, 40}},           {{3, 30}, {30, 5}},
                            {{2, 197, 64}, {2, 64, 197}},   {{2, 3, 50, 16}, {2, 3, 16, 70}},
                            {{2, 3, 9, 17}, {1, 1, 17, 6}}, {{2, 3, 9, 17}, {2, 1, 17, 6}},
                            {{1, 3, 9, 17}, {2, 1, 17, 6}}, {{1, 33, 5}, {4, 5, 1}},
                            {{1, 70, 1100}, {1, 1100, 33}}, {{1, 1, 2, 300}, {1, 1, 300, 1100}}};

TEST(Bm1684xProduct, TwoTensors) {
  for (const auto& [a, b] : kMatrices) {
    SCOPED_TRACE(text(a) + " x " + text(b));
    TensorOp op;
    set_type(op, Op::matmul);
    auto net = layer_net(op, {a, b}, {});
    ASSERT_TRUE(net.ok()) << net.status().message();
    expect_equal(*net, {{"x0", random_blob(a, 1)}, {"x1", random_blob(b, 2)}});
  }
}

TEST(Bm1684xProduct, ManyRows) {
  for (const auto& [rows, length, outputs] :
       {std::tuple(20, 30, 40), std::tuple(197, 768, 200), std::tuple(3000, 96, 33),
        std::tuple(9, 1000, 1100), std::tuple(50, 200, 3000), std::tuple(12000, 64, 64)})
    for (const bool relu : {false, true}) {
      const std::vector<int64_t> shape{rows, length};
      SCOPED_TRACE(text(shape) + " to " + std::to_string(outputs));
      TensorOp op;
      set_type(op, Op::inner_product);
      auto& p = *op.mutable_tg_inner_product_param();
      p.set_num_output(static_cast<uint32_t>(outputs));
      p.set_bias_term(relu);
      p.set_weight_transpose(true);
      p.set_do_activation(relu);
      std::vector<Blob> blobs{random_blob({outputs, length}, 3)};
      if (relu) blobs.push_back(random_blob({outputs}, 4));
      auto net = layer_net(op, {shape}, blobs);
      ASSERT_TRUE(net.ok()) << net.status().message();
      expect_equal(*net, {{"x0", random_blob(shape, 1)}});
    }
}

// Two inner products with a ReLU between them, of `rows` rows.
Result<Network> two_products(int64_t rows, int64_t length, int64_t outputs) {
  const std::string net = fmt::format(
      R"(layer {{ name: "x" type: "Input" top: "x"
           input_param {{ shape {{ dim: {} dim: {} }} }} }}
         layer {{ name: "a" type: "InnerProduct" bottom: "x" top: "a"
           inner_product_param {{ num_output: {} }} }}
         layer {{ name: "r" type: "ReLU" bottom: "a" top: "r" }}
         layer {{ name: "b" type: "InnerProduct" bottom: "r" top: "b"
           inner_product_param {{ num_output: 7 }} }})",
      rows, length, outputs);
  return random_net(net, {{"a", {{outputs, length}, {outputs}}}, {"b", {{7, outputs}, {7}}}}, 5);
}

// Many rows are transposed, few are samples of a convolution: bytes have the same results.
TEST(Bm1684xProduct, ManyRowsOfBytes) {
  constexpr int64_t kFew = 8;
  for (const auto& [rows, length, outputs] : std::vector<std::array<int64_t, 3>>{{9, 33, 5},
                                                                                 {65, 100, 70},
                                                                                 {16, 1100, 2500},
                                                                                 {200, 4000, 90},
                                                                                 {3001, 64, 65},
                                                                                 {72, 5632, 64}}) {
    SCOPED_TRACE(fmt::format("{} rows of {} to {}", rows, length, outputs));
    const auto whole = two_products(rows, length, outputs),
               few = two_products(kFew, length, outputs);
    ASSERT_TRUE(whole.ok() && few.ok());
    const Blob x = random_blob({rows, length}, 1);
    const NetCalibrationParameter table = largest_values(*whole, {{"x", x}});
    EXPECT_EQ(compare(*whole, DType::i8, 4e-2f, Values{{"x", x}}), "");
    const auto results = [&](const Network& network, const Blob& values) {
      const auto compiled = bm1684x::compile(network, {.type = DType::i8, .table = &table});
      return run(*compiled, network, {{"x", values}})->front();
    };
    const std::vector<float> all = results(*whole, x);
    for (const int64_t first : {int64_t{0}, (rows - kFew) / 2, rows - kFew}) {
      const auto begin = x.data.begin() + first * length;
      const Blob part{{kFew, length}, std::vector<float>(begin, begin + kFew * length)};
      const std::vector<float> own = results(*few, part);
      EXPECT_TRUE(std::ranges::equal(own, std::span(all).subspan(first * 7, kFew * 7)))
          << "rows from " << first;
    }
  }
}

// Returns weights of four bits, as floats.
Blob grid_blob(int64_t rows, int64_t length, int64_t block, int zero, uint64_t seed) {
  const Blob codes = random_blob({rows, length}, seed, -0.49f, 15.49f);
  const Blob scales = random_blob({rows, length / block}, seed + 1, 0.001f, 0.02f);
  Blob weights{{rows, length}, std::vector<float>(codes.data.size())};
  for (size_t i = 0; i < weights.data.size(); ++i)
    weights.data[i] = (std::nearbyint(codes.data[i]) - static_cast<float>(zero)) *
                      scales.data[i / static_cast<size_t>(block)];
  return weights;
}

Result<Network> inner_product(int64_t rows, const Blob& weights, bool has_bias) {
  TensorOp op;
  set_type(op, Op::inner_product);
  auto& p = *op.mutable_tg_inner_product_param();
  p.set_num_output(static_cast<uint32_t>(weights.shape[0]));
  p.set_bias_term(has_bias);
  p.set_do_activation(has_bias);
  p.set_weight_transpose(true);
  std::vector<Blob> blobs{weights};
  if (has_bias) blobs.push_back(random_blob({weights.shape[0]}, 4));
  return layer_net(op, {{rows, weights.shape[1]}}, blobs);
}

// Weights of four bits stay so in the file and on the way to local memory.
TEST(Bm1684xProduct, PackedWeights) {
  for (const auto& [rows, length, outputs, block, zero] :
       {std::tuple(1, 512, 200, 32, 8), std::tuple(5, 256, 1100, 128, 8),
        std::tuple(40, 1024, 70, 16, 8), std::tuple(70, 128, 300, 64, 3),
        std::tuple(200, 2048, 64, 32, 0), std::tuple(9, 96, 1000, 16, 15)}) {
    SCOPED_TRACE(fmt::format("{} rows of {} to {}, blocks of {}, zero {}", rows, length, outputs,
                             block, zero));
    const Blob weights = grid_blob(outputs, length, block, zero, 7);
    auto net = inner_product(rows, weights, rows > 5);
    ASSERT_TRUE(net.ok()) << net.status().message();
    expect_equal(*net, {{"x0", random_blob({rows, length}, 1)}});
    for (const DType type : {DType::f16, DType::bf16}) {
      auto compiled = bm1684x::compile(*net, {.type = type});
      ASSERT_TRUE(compiled.ok()) << compiled.status().message();
      EXPECT_LE(compiled->weights.size(),
                static_cast<size_t>(outputs * (length / 2 + length / block * 8 + 64)) + 8192);
    }
  }
}

// One weight that is not on the grid of its block, and grids of more than 16 numbers.
TEST(Bm1684xProduct, WeightsThatAreNotPacked) {
  Blob weights = grid_blob(200, 512, 32, 8, 7);
  weights.data[70000] += 0.003f;
  Blob wide = grid_blob(200, 512, 32, 8, 7);
  wide.data[64] = 1;
  for (const Blob& blob : {weights, wide, random_blob({200, 512}, 5)}) {
    EXPECT_FALSE(bm1684x::packed_weights(blob.data, 200, DType::f16));
    auto net = inner_product(20, blob, false);
    ASSERT_TRUE(net.ok()) << net.status().message();
    expect_equal(*net, {{"x0", random_blob({20, 512}, 1)}});
  }
  // A scale whose sixteenth is not a normal number.
  Blob small = grid_blob(200, 512, 32, 8, 7);
  for (float& w : small.data) w *= 0x1p-126f;
  EXPECT_FALSE(bm1684x::packed_weights(small.data, 200, DType::bf16));
  // Zeros of both signs, and few numbers.
  Blob few = grid_blob(200, 512, 32, 8, 7);
  for (size_t i = 0; i < few.data.size(); ++i)
    few.data[i] = i % 3 == 0 ? -0.0f : i < 64 ? 0.0f : 0.25f;
  EXPECT_TRUE(bm1684x::packed_weights(few.data, 200, DType::f16));
}

// All orders of the axes, of extents that are transposed in local memory or moved.
TEST(Bm1684xPermute, AllOrders) {
  for (const std::vector<int64_t>& shape :
       {std::vector<int64_t>{3, 5, 7, 9}, std::vector<int64_t>{1, 70, 33, 12},
        std::vector<int64_t>{2, 1, 200, 90}, std::vector<int64_t>{1, 3, 300, 1100}}) {
    std::vector<uint32_t> order{0, 1, 2, 3};
    do {
      SCOPED_TRACE(text(shape) + " order " + text({order.begin(), order.end()}));
      TensorOp op;
      set_type(op, Op::permute);
      for (const uint32_t axis : order) op.mutable_tg_permute_param()->add_order(axis);
      auto net = layer_net(op, {shape}, {});
      ASSERT_TRUE(net.ok()) << net.status().message();
      const Values inputs{{"x0", random_blob(shape, 1)}};
      EXPECT_EQ(compare(*net, DType::f32, 0, inputs), "") << "fp32";
      EXPECT_EQ(compare(*net, DType::f16, 1e-3f, inputs), "") << "fp16";
    } while (std::next_permutation(order.begin(), order.end()));
  }
}

}  // namespace
}  // namespace tputwin::net::testing
