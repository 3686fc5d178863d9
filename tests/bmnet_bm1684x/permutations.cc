// Permutations on the BM1684, whose transfers exchange channels and columns between lanes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "bmnet/targets/bm1684/target.h"
#include "bmnet_bm1684x/interpreter.h"

namespace tputwin::net::testing {
namespace {

TensorOp permutation(const std::vector<uint32_t>& order) {
  TensorOp op;
  set_type(op, Op::permute);
  for (const uint32_t axis : order) op.mutable_tg_permute_param()->add_order(axis);
  return op;
}

// Transfers between lanes transpose, a sample at a time. Channels have ranges of 4,095.
TEST(Bm1684Permute, AllOrders) {
  const bm1684x::ScopedTarget scope(bm1684::bm1684_target());
  for (const std::vector<int64_t>& shape :
       {std::vector<int64_t>{3, 5, 7, 9}, std::vector<int64_t>{2, 70, 33, 5},
        std::vector<int64_t>{1, 3, 60, 100}, std::vector<int64_t>{1, 5000, 1, 3}}) {
    std::vector<uint32_t> order{0, 1, 2, 3};
    do {
      SCOPED_TRACE(text(shape) + " order " + text({order.begin(), order.end()}));
      auto net = layer_net(permutation(order), {shape}, {});
      ASSERT_TRUE(net.ok()) << net.status().message();
      EXPECT_EQ(compare(*net, DType::f32, 0, Values{{"x0", random_blob(shape, 1)}}), "");
    } while (std::next_permutation(order.begin(), order.end()));
  }
}

// Cells of four images are moved as elements of fp32 are.
TEST(Bm1684Permute, OfBytesEqualsTheInterpreter) {
  const bm1684x::ScopedTarget scope(bm1684::bm1684_target());
  for (const int64_t samples : {1, 6})
    for (const std::vector<uint32_t>& order :
         {std::vector<uint32_t>{0, 2, 3, 1}, {0, 3, 1, 2}, {0, 3, 2, 1}, {0, 1, 3, 2}}) {
      SCOPED_TRACE(text({order.begin(), order.end()}));
      auto network = random_net(
          fmt::format("input: 'data' input_shape {{ dim: {} dim: 3 dim: 20 dim: 15 }} layer {{ "
                      "name: 'y' bottom: 'data' top: 'y' type: 'Convolution' convolution_param {{ "
                      "kernel_size: 1 bias_term: false num_output: 70 }} }} layer {{ name: 'z' "
                      "bottom: 'y' top: 'z' type: 'Permute' permute_param {{ order: {} order: {} "
                      "order: {} order: {} }} }}",
                      samples, order[0], order[1], order[2], order[3]),
          {{"y", {{70, 3, 1, 1}}}}, 1);
      ASSERT_TRUE(network.ok()) << network.status().message();
      EXPECT_EQ(difference_from_interpreter(*network, random_inputs(*network, 1)), "");
    }
}

// Global memory is read and written in rows.
TEST(Bm1684Permute, MovesRunsToGlobalMemory) {
  const bm1684x::ScopedTarget scope(bm1684::bm1684_target());
  auto net = layer_net(permutation({0, 1, 3, 2}), {{1, 12, 197, 64}}, {});
  ASSERT_TRUE(net.ok()) << net.status().message();
  const auto compiled = bm1684x::compile(*net, {.type = DType::f32});
  ASSERT_TRUE(compiled.ok()) << compiled.status().message();
  for (const Instruction& i : compiled->program) {
    const auto* copy = std::get_if<Copy>(&i.op);
    if (copy == nullptr) continue;
    EXPECT_EQ(copy->dst.stride.w, 4u);
    EXPECT_EQ(copy->src.view.stride.w, 4u);
  }
}

}  // namespace
}  // namespace tputwin::net::testing
