// Undefined values, NaN and infinities that never leave the chip are no findings.
#include <gtest/gtest.h>

#include "insight/undefined_kernels.h"

namespace tputwin::insight::testing {
namespace {

// Numbers are stored as rows of 16 in the lanes; the last row has a rest of fewer.
constexpr int kRow = 16;

struct Flat {
  int rows, rest;
  unsigned bytes() const { return static_cast<unsigned>((rows - 1) * kRow + rest) * 4; }
  dim4 whole() const { return {1, rows, 1, kRow}; }
};
constexpr Flat k1001{63, 9}, k399{25, 15};

template <class Copy>
void in_two_parts(const Flat& flat, local_addr_t local, unsigned long long global, Copy copy) {
  const unsigned long long done = static_cast<unsigned long long>(flat.rows - 1) * kRow * 4;
  const auto lane = static_cast<local_addr_t>(flat.rows - 1) *
                    static_cast<local_addr_t>(tpu_local_mem_size_per_npu());
  copy(local, global, dim4{1, flat.rows - 1, 1, kRow});
  copy(local + lane, global + done, dim4{1, 1, 1, flat.rest});
}
void load_flat(const Flat& flat, local_addr_t to, unsigned long long from) {
  in_two_parts(flat, to, from, [](auto local, auto global, dim4 s) { load(local, global, s); });
}
void store_flat(const Flat& flat, unsigned long long to, local_addr_t from) {
  in_two_parts(flat, from, to, [](auto local, auto global, dim4 s) { store(global, local, s); });
}

TW_KERNEL(rest_of_a_row) {
  tpu_initialize();
  load_flat(k1001, kX, arguments(args).input);
  add_C(kY, kX, 1.0f, k1001.whole());
  add(kZ, kX, kY, k1001.whole());
  store_flat(k1001, arguments(args).output, kZ);
  tpu_poll();
}

TW_KERNEL(row_that_is_not_loaded) {
  tpu_initialize();
  load(kX, arguments(args).input, {1, 62, 1, kRow});
  mul_C(kY, kX, 2.0f, {1, 63, 1, kRow});
  store(arguments(args).output, kY, {1, 62, 1, kRow});
  tpu_poll();
}

TW_KERNEL(row_of_which_one_is_used) {
  tpu_initialize();
  load(kX, arguments(args).input, {1, 64, 1, 1});
  mul_C(kY, kX, 2.0f, {1, 64, 1, kRow});
  store(arguments(args).output, kY, {1, 64, 1, 1});
  tpu_poll();
}

TW_KERNEL(nan_in_a_rest) {
  const dim4 whole = k1001.whole();
  tpu_initialize();
  fill(kX, 0.0f, whole);
  load_flat(k1001, kX, arguments(args).input);
  tpu_bdc_fp_div(kY, kX, kX, &whole, nullptr, nullptr, nullptr, DT_FP32);
  mul_C(kZ, kY, 2.0f, whole);
  store_flat(k1001, arguments(args).output, kZ);
  tpu_poll();
}

TW_KERNEL(infinity_in_a_rest) {
  const dim4 whole = k1001.whole();
  tpu_initialize();
  fill(kX, 0.0f, whole);
  fill(kW, 1.0f, whole);
  load_flat(k1001, kX, arguments(args).input);
  tpu_bdc_fp_div(kY, kW, kX, &whole, nullptr, nullptr, nullptr, DT_FP32);
  store_flat(k1001, arguments(args).output, kY);
  tpu_poll();
}

// Four rows are loaded, and the shape says five. No window touches the fifth.
constexpr dim4 kFive = {1, 8, 5, 6}, kFour = {1, 8, 4, 6}, kPooled = {1, 8, 2, 3};
constexpr dim2 kTwo = {2, 2};

TW_KERNEL(row_in_no_window_of_a_maximum) {
  tpu_initialize();
  load(kX, arguments(args).input, kFour);
  tpu_bdc_fp_max_pool2d(kY, kX, &kFive, &kTwo, &kNoPads, &kTwo, &kOne, DT_FP32, number(0.0f));
  store(arguments(args).output, kY, kPooled);
  tpu_poll();
}

TW_KERNEL(row_in_no_window_of_a_mean) {
  tpu_initialize();
  load(kX, arguments(args).input, kFour);
  tpu_bdc_fp_avg_pool2d(kY, kX, &kFive, &kTwo, &kNoPads, &kTwo, &kOne, DT_FP32, number(0.25f));
  store(arguments(args).output, kY, kPooled);
  tpu_poll();
}

TW_KERNEL(row_in_no_window_of_a_filter) {
  const dim4 filters = {1, 8, 2, 2};
  dim4 compact;
  tpu_initialize();
  tpu_compact_stride(&compact, 0, &filters);
  load(kX, arguments(args).input, kFour);
  tpu_gdma_cpy_S2L(kW, arguments(args).input, &filters, &compact, nullptr, DT_FP32);
  tpu_bdc_fp_depthwise2d(kY, kX, kW, 0, &kFive, &kTwo, &kNoPads, &kTwo, &kOne, DT_FP32, false);
  store(arguments(args).output, kY, kPooled);
  tpu_poll();
}

TW_KERNEL(sum_on_its_first_element) {
  const dim4 rows = {1, 3, 1, 64};
  const dim2 row = {1, 64};
  tpu_initialize();
  load(kX, arguments(args).input, rows);
  tpu_bdc_fp_avg_pool2d(kX, kX, &rows, &row, &kNoPads, &kOne, &kOne, DT_FP32, number(1.0f));
  store(arguments(args).output, kX, {1, 3, 1, 1});
  tpu_poll();
}

TW_KERNEL(results_wider_than_the_store) {
  tpu_initialize();
  load_flat(k399, kX, arguments(args).input);
  mul_C(kY, kX, 3.0f, {1, 64, 1, kRow});
  store_flat(k399, arguments(args).output, kY);
  tpu_poll();
}

// A block of global memory between two kernels has undefined bytes that the second does not use.
TW_KERNEL(stores_a_whole_rectangle) {
  tpu_initialize();
  load_flat(k1001, kX, arguments(args).input);
  add_C(kY, kX, 1.0f, k1001.whole());
  store(arguments(args).scratch, kY, k1001.whole());
  tpu_poll();
}
TW_KERNEL(loads_a_whole_rectangle) {
  tpu_initialize();
  load(kX, arguments(args).scratch, k1001.whole());
  mul_C(kY, kX, 2.0f, k1001.whole());
  store_flat(k1001, arguments(args).output, kY);
  tpu_poll();
}

constexpr const char* kChip = "BM1684X";

TEST(Harmless, RestOfARow) {
  expect_harmless(findings_of(kChip, {"rest_of_a_row"}, k1001.bytes()), "undefined-unused");
}
TEST(Harmless, RowThatIsNotLoaded) {
  expect_harmless(findings_of(kChip, {"row_that_is_not_loaded"}, 62 * kRow * 4),
                  "undefined-unused");
}
TEST(Harmless, RowOfWhichOneIsUsed) {
  expect_harmless(findings_of(kChip, {"row_of_which_one_is_used"}, 64 * 4), "undefined-unused");
}
TEST(Harmless, NanInARest) {
  expect_harmless(findings_of(kChip, {"nan_in_a_rest"}, k1001.bytes()), "number-unused");
}
TEST(Harmless, InfinityInARest) {
  expect_harmless(findings_of(kChip, {"infinity_in_a_rest"}, k1001.bytes()), "number-unused");
}
TEST(Harmless, RowInNoWindow) {
  for (const char* kernel : {"row_in_no_window_of_a_maximum", "row_in_no_window_of_a_mean",
                             "row_in_no_window_of_a_filter"})
    EXPECT_TRUE(findings_of(kChip, {kernel}, 8 * 6 * 4).empty()) << kernel;
}
TEST(Harmless, SumOnItsFirstElement) {
  EXPECT_TRUE(findings_of(kChip, {"sum_on_its_first_element"}, 12).empty());
}
TEST(Harmless, ResultsWiderThanTheStore) {
  expect_harmless(findings_of(kChip, {"results_wider_than_the_store"}, k399.bytes()),
                  "undefined-unused");
}
TEST(Harmless, RectangleBetweenKernels) {
  expect_harmless(
      findings_of(kChip, {"stores_a_whole_rectangle", "loads_a_whole_rectangle"}, k1001.bytes()),
      "undefined-unused");
}

}  // namespace
}  // namespace tputwin::insight::testing
