// Undefined values that leave the chip through two or more commands are found, with the line that
// reads them first.
#include <gtest/gtest.h>

#include "insight/undefined_kernels.h"

namespace tputwin::insight::testing {
namespace {

constexpr dim4 kRows = {1, 8, 1, 16};
constexpr dim2 kRow = {1, 16};

// The first 12 of 16 numbers of a row.
void load_a_part(const void* args) { load(kX, arguments(args).input, {1, 8, 1, 12}); }

TW_KERNEL(padding_under_a_window) {
  const dim2 window = {1, 2};
  tpu_initialize();
  load_a_part(args);
  PLANTED mul_C(kY, kX, 2.0f, kRows);
  tpu_bdc_fp_max_pool2d(kZ, kY, &kRows, &window, &kNoPads, &kOne, &kOne, DT_FP32, number(0.0f));
  store(arguments(args).output, kZ, {1, 8, 1, 15});
  tpu_poll();
}

TW_KERNEL(sum_over_a_rest) {
  tpu_initialize();
  load_a_part(args);
  PLANTED tpu_bdc_fp_avg_pool2d(kY, kX, &kRows, &kRow, &kNoPads, &kOne, &kOne, DT_FP32,
                                number(1.0f));
  add_C(kZ, kY, 1.0f, {1, 8, 1, 1});
  store(arguments(args).output, kZ, {1, 8, 1, 1});
  tpu_poll();
}

TW_KERNEL(undefined_index) {
  scalar_t one;
  one.u32 = 1;
  tpu_initialize();
  load(kX, arguments(args).input, kRows);
  PLANTED tpu_bdc_int_add_C(kY, kZ, one, &kRows, nullptr, nullptr, DT_UINT16, DT_UINT16, DT_UINT16,
                            0, RM_HALF_TO_EVEN, true);
  tpu_bdc_cpy(kZ, kY, &kRows, nullptr, nullptr, DT_UINT16);
  tpu_bdc_w_gather(kW, kX, kZ, &kRows, 16, DT_FP32, DT_UINT16);
  store(arguments(args).output, kW, kRows);
  tpu_poll();
}

// The index is in lane 0, and each lane reads its own.
TW_KERNEL(index_of_one_lane) {
  const dim4 lanes = {1, 5, 1, 16}, lane = {1, 1, 1, 16};
  tpu_initialize();
  load(kX, arguments(args).input, lanes);
  tpu_gdma_cpy_S2L(kY, arguments(args).input, &lane, nullptr, nullptr, DT_UINT16);
  PLANTED tpu_bdc_w_gather(kW, kX, kY, &lanes, 16, DT_FP32, DT_UINT16);
  store(arguments(args).output, kW, lanes);
  tpu_poll();
}

TW_KERNEL(transposed) {
  const dim4 swapped = {8, 1, 1, 16};
  tpu_initialize();
  load(kX, arguments(args).input, {1, 7, 1, 16});
  PLANTED add_C(kY, kX, 1.0f, kRows);
  tpu_gdma_cpy_nc_trans_L2S(arguments(args).output, kY, &swapped, nullptr, nullptr, DT_FP32);
  tpu_poll();
}

TW_KERNEL(cast_to_half) {
  tpu_initialize();
  load_a_part(args);
  PLANTED tpu_bdc_cast(kY, kX, &kRows, nullptr, nullptr, DT_FP16, DT_FP32, RM_HALF_TO_EVEN);
  tpu_bdc_cast(kZ, kY, &kRows, nullptr, nullptr, DT_FP32, DT_FP16, RM_HALF_TO_EVEN);
  store(arguments(args).output, kZ, kRows);
  tpu_poll();
}

TW_KERNEL(cast_without_a_read) { cast_to_half(args); }

TW_KERNEL(column_of_a_product) {
  tpu_initialize();
  load(kX, arguments(args).input, {8, 1, 1, 16});
  load(kY, arguments(args).input, {15, 1, 1, 16});
  PLANTED tpu_bdc_fp32_mm(kZ, kX, kY, 0, 8, 16, 16, 16, 16, false, false);
  mul_C(kW, kZ, 0.5f, {8, 1, 1, 16});
  store(arguments(args).output, kW, {8, 1, 1, 16});
  tpu_poll();
}

TW_KERNEL(compared) {
  tpu_initialize();
  load_a_part(args);
  fill(kY, 3.0f, kRows);
  PLANTED tpu_bdc_greater(kZ, kX, kY, number(1.0f), &kRows, nullptr, nullptr, nullptr, DT_FP32,
                          DT_FP32);
  mul_C(kW, kZ, 2.0f, kRows);
  store(arguments(args).output, kW, kRows);
  tpu_poll();
}

// A convolution with a fused ReLU and shift, as compilers use it; one bias is missing.
TW_KERNEL(fused_convolution) {
  const dim4 in = {1, 4, 4, 4}, weights = {1, 8, 1, 64}, biases = {1, 8, 1, 1};
  const dim4 loaded = {1, 7, 1, 1};
  dim4 compact;
  tpu_initialize();
  tpu_compact_stride(&compact, 0, &weights);
  tpu_gdma_cpy_S2L(kX, arguments(args).input, &in, nullptr, nullptr, DT_INT8);
  tpu_gdma_cpy_S2L(kW, arguments(args).input, &weights, &compact, nullptr, DT_INT8);
  tpu_compact_stride(&compact, 0, &biases);
  tpu_gdma_cpy_S2L(kY, arguments(args).input, &loaded, &compact, nullptr, DT_INT16);
  PLANTED tpu_bdc_int8_sym_quant_conv2d(kZ, kX, kW, kY, &in, nullptr, 8, &kOne, &kNoPads, &kOne,
                                        &kOne, DT_UINT8, DT_INT8, DT_INT8, DT_INT16, 2, true, true);
  const dim4 out = {1, 8, 4, 4};
  tpu_bdc_cpy(kZ + kBank, kZ, &out, nullptr, nullptr, DT_UINT8);
  tpu_gdma_cpy_L2S(arguments(args).output, kZ + kBank, &out, nullptr, nullptr, DT_UINT8);
  tpu_poll();
}

TW_KERNEL(to_all_lanes) {
  const dim4 lanes = {1, 8, 1, 16};
  tpu_initialize();
  load(kX, arguments(args).input, {1, 1, 1, 12});
  PLANTED add_C(kY, kX, 1.0f, {1, 1, 1, 16});
  tpu_bdc_npu_bcast(kZ, kY, &lanes, DT_FP32);
  store(arguments(args).output, kZ, lanes);
  tpu_poll();
}

TW_KERNEL(between_kernels_store) {
  tpu_initialize();
  load_a_part(args);
  PLANTED add_C(kY, kX, 1.0f, kRows);
  store(arguments(args).scratch, kY, kRows);
  tpu_poll();
}
TW_KERNEL(between_kernels_load) {
  tpu_initialize();
  load(kX, arguments(args).scratch, kRows);
  mul_C(kY, kX, 2.0f, kRows);
  store(arguments(args).output, kY, kRows);
  tpu_poll();
}

TW_KERNEL(global_memory_that_nothing_wrote) {
  tpu_initialize();
  PLANTED load(kX, arguments(args).scratch, kRows);
  mul_C(kY, kX, 2.0f, kRows);
  store(arguments(args).output, kY, kRows);
  tpu_poll();
}

TW_KERNEL(nan_that_leaves) {
  tpu_initialize();
  fill(kX, 0.0f, kRows);
  PLANTED tpu_bdc_fp_div(kY, kX, kX, &kRows, nullptr, nullptr, nullptr, DT_FP32);
  tpu_bdc_fp_avg_pool2d(kZ, kY, &kRows, &kRow, &kNoPads, &kOne, &kOne, DT_FP32, number(1.0f));
  store(arguments(args).output, kZ, {1, 8, 1, 1});
  tpu_poll();
}

TW_KERNEL(infinity_that_leaves) {
  tpu_initialize();
  fill(kX, 0.0f, kRows);
  fill(kW, 1.0f, kRows);
  PLANTED tpu_bdc_fp_div(kY, kW, kX, &kRows, nullptr, nullptr, nullptr, DT_FP32);
  tpu_bdc_fp_div(kZ, kW, kY, &kRows, nullptr, nullptr, nullptr, DT_FP32);
  store(arguments(args).output, kZ, kRows);
  tpu_poll();
}

struct Planted {
  const char* kernel;
  const char* id;
  size_t steps;  // of the way, with the sink
};
class PlantedValues : public ::testing::TestWithParam<Planted> {};

TEST_P(PlantedValues, AreFoundWithTheirWay) {
  const auto [kernel, id, steps] = GetParam();
  expect_planted(findings_of("BM1684X", {kernel}, 8 * 16 * 4), id, "undefined_planted.cc", steps);
}
constexpr Planted kPlanted[] = {
    {"padding_under_a_window", "padding", 3},
    {"sum_over_a_rest", "padding", 3},
    {"undefined_index", "uninitialized", 2},
    {"index_of_one_lane", "uninitialized", 1},
    {"transposed", "uninitialized", 2},
    {"cast_to_half", "padding", 3},
    {"column_of_a_product", "uninitialized", 3},
    {"compared", "padding", 3},
    {"fused_convolution", "uninitialized", 3},
    {"to_all_lanes", "padding", 3},
    {"global_memory_that_nothing_wrote", "uninitialized", 3},
    {"nan_that_leaves", "nan-made", 3},
    {"infinity_that_leaves", "infinity-made", 3},
};
INSTANTIATE_TEST_SUITE_P(Kernels, PlantedValues, ::testing::ValuesIn(kPlanted),
                         [](const auto& info) { return std::string(info.param.kernel); });

TEST(PlantedValues, AreFoundAcrossKernels) {
  expect_planted(findings_of("BM1684X", {"between_kernels_store", "between_kernels_load"}, 512),
                 "padding", "undefined_planted.cc", 5);
}

// Without a read of the host, results in memory that no command reads count.
TEST(PlantedValues, AreFoundInMemoryThatNothingReads) {
  expect_planted(findings_of("BM1684X", {"cast_without_a_read"}, 0), "padding",
                 "undefined_planted.cc", 3);
}

}  // namespace
}  // namespace tputwin::insight::testing
