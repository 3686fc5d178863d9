// Products of matrices in every type.
#include <gtest/gtest.h>

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
