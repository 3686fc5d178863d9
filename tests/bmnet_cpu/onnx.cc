// Operators that only nets of ONNX have: arithmetic, resampling, standardizing, reductions of any
// kind, products, largest values.
#include "bmnet_cpu/call.h"

namespace tputwin::test {
namespace {

void expect_values(const Floats& got, const Floats& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], 1e-5) << i;
}

TEST(Arithmetic, RepeatsExtentsOfOne) {
  using Parameter = bmnet::TGArithmeticParameter;
  CpuCall call("tg_arithmetic");
  call.input({1, 2, 1, 2}, {1, 2, 3, 4}).input({1, 1, 2, 1}, {10, 20}).output({1, 2, 2, 2});
  auto& p = *call.op.mutable_tg_arithmetic_param();
  expect_values(call.run(), {11, 12, 21, 22, 13, 14, 23, 24});
  p.set_operation(Parameter::SUB);
  p.set_reversed(true);
  expect_values(call.run(), {9, 8, 19, 18, 7, 6, 17, 16});
  p.set_reversed(false);
  p.set_operation(Parameter::DIV);
  expect_values(call.run(), {0.1F, 0.2F, 0.05F, 0.1F, 0.3F, 0.4F, 0.15F, 0.2F});
  p.set_operation(Parameter::MIN);
  expect_values(call.run(), {1, 2, 1, 2, 3, 4, 3, 4});
  p.set_operation(Parameter::POW);
  call.inputs[1].second = {2, 0.5F};
  expect_values(call.run(), {1, 4, 1, std::sqrt(2.0F), 9, 16, std::sqrt(3.0F), 2});
  call.output({1, 2, 2, 3}).expect_refused();
}

TEST(Resample, WeightedSumsOfRowsAndColumns) {
  CpuCall call("tg_resample");
  call.input({1, 1, 2, 2}, {1, 2, 3, 4}).output({1, 1, 1, 3});
  auto& p = *call.op.mutable_tg_resample_param();
  p.set_row_taps(2);
  for (uint32_t s : {0u, 1u}) p.add_row_source(s);
  for (float w : {0.5F, 0.5F}) p.add_row_weight(w);
  for (uint32_t s : {0u, 1u, 1u}) p.add_column_source(s);
  for (float w : {1.0F, 1.0F, 0.0F}) p.add_column_weight(w);
  expect_values(call.run(), {2, 3, 0});
  p.set_column_source(2, 2);
  call.expect_refused();
  p.set_column_source(2, 0);
  call.output({1, 1, 1, 4}).expect_refused();
}

TEST(Standardize, RunsAndChannels) {
  CpuCall call("tg_standardize");
  call.input({1, 2, 1, 2}, {1, 3, 5, 5}).output({1, 2, 1, 2});
  auto& p = *call.op.mutable_tg_standardize_param();
  p.set_eps(0);
  call.inputs[0].second = {1, 3, 2, 6};
  expect_values(call.run(), {-1, 1, -1, 1});
  call.input({2}, {2, 3}).input({2}, {0, 1});
  expect_values(call.run(), {-2, 2, -2, 4});
  call.inputs[1] = {{3}, {1, 2, 3}};
  call.expect_refused();
}

TEST(Reduction, OfOnnx) {
  using Parameter = bmnet::TGReductionParameter;
  CpuCall call("tg_reduction");
  call.input({2, 2}, {3, -4, 0.5F, 2}).output({2});
  auto& p = *call.op.mutable_tg_reduction_param();
  p.set_axis(1);
  const auto expect = [&](Parameter::ReductionOp operation, const Floats& values) {
    p.set_operation(operation);
    expect_values(call.run(), values);
  };
  expect(Parameter::MAX, {3, 2});
  expect(Parameter::MIN, {-4, 0.5F});
  expect(Parameter::PROD, {-12, 1});
  expect(Parameter::NORM, {5, std::sqrt(4.25F)});
  expect(Parameter::LOG_SUM_EXP,
         {std::log(std::exp(3.0F) + std::exp(-4.0F)), std::log(std::exp(0.5F) + std::exp(2.0F))});
}

TEST(Matmul, RepeatsExtentsOfOne) {
  CpuCall call("tg_matmul");
  call.input({2, 1, 2}, {1, 2, 3, 4}).input({1, 2, 2}, {5, 6, 7, 8}).output({2, 1, 2});
  expect_values(call.run(), {19, 22, 43, 50});
  call.inputs[1] = {{3, 2, 2}, Floats(12)};
  call.expect_refused();
  call.inputs[1] = {{2, 2}, Floats(4)};
  call.expect_refused();
  call.inputs[1] = {{1, 3, 2}, Floats(6)};
  call.expect_refused();
}

TEST(Matmul, ManyMatrices) {
  CpuCall call("tg_matmul");
  call.input({2, 2, 1, 1}, {1, 2, 3, 4}).input({2, 1, 1, 2}, {1, 10, 2, 20});
  call.output({2, 2, 1, 2});
  expect_values(call.run(), {1, 10, 2, 20, 6, 60, 8, 80});
}

TEST(Top, ValuesAndPositionsInOrder) {
  CpuCall values("tg_top_values"), positions("tg_top_positions");
  const Floats x = {1, 8, 5, 2, 5, 3};
  values.input({1, 3, 2}, x).output({1, 2, 2});
  values.op.mutable_tg_top_values_param()->set_count(2);
  expect_values(values.run(), {5, 8, 5, 3});
  positions.input({1, 3, 2}, x).output({1, 2, 2});
  auto& p = *positions.op.mutable_tg_top_positions_param();
  p.set_count(2);
  expect_values(positions.run(), {1, 0, 2, 2});
  p.set_last(true);
  expect_values(positions.run(), {2, 0, 1, 2});
  p.set_smallest(true);
  expect_values(positions.run(), {0, 1, 2, 2});
  p.set_count(4);
  positions.expect_refused();
  p.set_count(2);
  positions.output({1, 1, 2}).expect_refused();

  // ArgMax of ONNX Runtime 1.30: no value is larger than NaN, nor is NaN.
  for (const auto& [x_with_nan, position] :
       {std::pair(Floats{1, NAN, 2}, 2.0f), {Floats{NAN, 1, 2}, 0.0f}, {Floats{3, NAN, 2}, 0.0f}}) {
    CpuCall broken("tg_top_positions");
    broken.input({1, 3}, x_with_nan).output({1, 1});
    expect_values(broken.run(), {position});
  }
}

TEST(Softmax, ItsLogarithm) {
  CpuCall call("tg_softmax");
  call.input({1, 2}, {0, -200}).output({1, 2});
  call.op.mutable_tg_softmax_param()->set_log(true);
  expect_values(call.run(), {0, -200});
}

}  // namespace
}  // namespace tputwin::test
