// Constants that stay in local memory during a run.
#include <cstdio>

#include "bmnet_bm1684x/net_builder.h"

namespace tputwin::net::testing {
namespace {

constexpr int64_t kTable = 256, kMostBytes = 64 * 1024;

// A product and functions of its bytes, each of which is a table of its own.
Network functions(int64_t count) {
  NetBuilder b;
  TensorOp product;
  set_type(product, Op::inner_product);
  auto& p = *product.mutable_tg_inner_product_param();
  p.set_num_output(20);
  p.set_bias_term(false);
  p.set_weight_transpose(true);
  std::string x = b.layer(product, {b.input("x", {2, 30})}, {random_blob({20, 30}, 3)});
  for (int64_t i = 0; i < count; ++i) {
    TensorOp op;
    set_type(op, Op::power);
    const float sign = i % 2 == 0 ? 1 : -1;
    op.mutable_tg_power_param()->set_scale(1 + 0.001f * sign * static_cast<float>(i));
    op.mutable_tg_power_param()->set_shift(0.1f * sign * static_cast<float>(i % 7));
    x = b.layer(op, {x});
  }
  return b.finished({x});
}

int64_t lane_bytes(const Network& network) {
  const NetCalibrationParameter table = largest_values(network, random_inputs(network, 1));
  const auto net = bm1684x::compile(network, {.type = DType::i8, .table = &table});
  EXPECT_TRUE(net.ok()) << net.status().message();
  long bytes = 0;
  if (net.ok()) std::sscanf(net->explanation.c_str(), "constants: %ld bytes", &bytes);
  return bytes;
}

// A quarter of a lane holds the tables of 250 functions. Further ones are loaded where they are
// read.
TEST(ResidentConstants, HoldTheTablesOfManyFunctions) {
  const Network some = functions(120), many = functions(340);
  EXPECT_GE(lane_bytes(some), 90 * kTable);
  EXPECT_GE(lane_bytes(many), kMostBytes - 2 * kTable);
  EXPECT_LE(lane_bytes(many), kMostBytes);
  EXPECT_EQ(compare(some, DType::i8, 0.2f, 1), "");
  EXPECT_EQ(compare(many, DType::i8, 0.4f, 1), "");
}

}  // namespace
}  // namespace tputwin::net::testing
