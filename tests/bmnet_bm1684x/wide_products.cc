// Inner products of many columns before functions are computed by ranges of columns.
#include "bmnet/targets/bm1684/target.h"
#include "bmnet_bm1684x/net_builder.h"

namespace tputwin::net::testing {
namespace {

// A product of `rows` with weights of (columns,depth), and functions of its result.
Network product_before_functions(int64_t rows, int64_t depth, int64_t columns, bool has_bias) {
  NetBuilder b;
  TensorOp product, gate, half;
  set_type(product, Op::inner_product);
  auto& param = *product.mutable_tg_inner_product_param();
  param.set_num_output(static_cast<uint32_t>(columns));
  param.set_bias_term(has_bias);
  param.set_weight_transpose(true);
  std::vector<Blob> blobs{net::testing::random_blob({columns, depth}, 1)};
  if (has_bias) blobs.push_back(net::testing::random_blob({columns}, 2));
  set_type(gate, Op::activation);
  gate.mutable_tg_activation_param()->set_activation(::bmnet::SIGMOID);
  set_type(half, Op::power);
  half.mutable_tg_power_param()->set_scale(0.5f);
  const std::string x = b.input("x", {rows, depth});
  const std::string y = b.layer(product, {x}, std::move(blobs));
  return b.finished({b.layer(half, {b.layer(gate, {y})})});
}

TEST(WideProducts, HaveTheValuesOfFloatExecution) {
  struct Case {
    int64_t rows, depth, columns;
  };
  // The last range of columns is smaller, rows do not fill the lanes, weights are not whole units.
  for (const auto& [rows, depth, columns] :
       {Case{100, 384, 1500}, Case{70, 390, 2048}, Case{200, 800, 900}, Case{1030, 64, 9000}})
    for (const bool has_bias : {false, true}) {
      const Network network = product_before_functions(rows, depth, columns, has_bias);
      SCOPED_TRACE(fmt::format("{} rows, {} to {} columns", rows, depth, columns));
      EXPECT_EQ(compare(network, DType::f32, 1e-5f, 1), "");
      EXPECT_EQ(compare(network, DType::f16, 1e-2f, 1), "");
      const bm1684x::ScopedTarget scope(bm1684::bm1684_target());
      EXPECT_EQ(compare(network, DType::f32, 1e-5f, 1), "");
    }
}

// Only the input, the weights and the last result cross the bus.
TEST(WideProducts, KeepTheResultInLocalMemory) {
  constexpr int64_t kRows = 256, kDepth = 768, kColumns = 3072;
  const Network network = product_before_functions(kRows, kDepth, kColumns, true);
  const auto compiled = bm1684x::compile(network, {.type = DType::f16});
  ASSERT_TRUE(compiled.ok()) << compiled.status().message();
  const uint64_t ends = 4 * kRows * (kDepth + kColumns), weights = 2 * kDepth * kColumns;
  const uint64_t result = 2 * kRows * kColumns;
  // The input and the result are converted from and to fp32.
  const uint64_t conversions = 2 * kRows * (2 * kDepth + 2 * kColumns);
  EXPECT_LT(compiled->global_bytes, ends + weights + conversions + result);
}

}  // namespace
}  // namespace tputwin::net::testing
