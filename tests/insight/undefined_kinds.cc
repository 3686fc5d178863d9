// Ten mutants and more of each kind of undefined value that reaches memory through two or more
// commands. Each is a kernel of its own, as equal findings are reported once.
#include <gtest/gtest.h>

#include "insight/undefined_kernels.h"

namespace tputwin::insight::testing {
namespace {

// Registers KERNEL_0 to KERNEL_11.
#define TW_VARIANT(kernel, variant) \
  TW_KERNEL(kernel##_##variant) { kernel(args, variant); }
#define TW_VARIANTS(kernel)                                                                   \
  TW_VARIANT(kernel, 0)                                                                       \
  TW_VARIANT(kernel, 1)                                                                       \
  TW_VARIANT(kernel, 2) TW_VARIANT(kernel, 3) TW_VARIANT(kernel, 4) TW_VARIANT(kernel, 5)     \
      TW_VARIANT(kernel, 6) TW_VARIANT(kernel, 7) TW_VARIANT(kernel, 8) TW_VARIANT(kernel, 9) \
          TW_VARIANT(kernel, 10) TW_VARIANT(kernel, 11)

constexpr int kWidth = 16;
constexpr dim4 kRows = {1, 8, 1, kWidth};

// The first numbers of the rows of 16.
void load_part(const void* args, int width) { load(kX, arguments(args).input, {1, 8, 1, width}); }

struct Windowed {
  int loaded;       // columns of 16
  int width, step;  // of the window
  int kind;         // 0: maximum, 1: mean, 2: depthwise, 3: convolution
  int outputs() const { return (kWidth - width) / step + 1; }
};

void window(const Windowed& of, local_addr_t to, local_addr_t from) {
  const dim2 kernel = {1, of.width}, step = {1, of.step};
  if (of.kind == 0)
    tpu_bdc_fp_max_pool2d(to, from, &kRows, &kernel, &kNoPads, &step, &kOne, DT_FP32, number(0.0f));
  if (of.kind == 1)
    tpu_bdc_fp_avg_pool2d(to, from, &kRows, &kernel, &kNoPads, &step, &kOne, DT_FP32, number(1.0f));
  if (of.kind == 2)
    tpu_bdc_fp_depthwise2d(to, from, kW, 0, &kRows, &kernel, &kNoPads, &step, &kOne, DT_FP32,
                           false);
  if (of.kind == 3)
    tpu_bdc_fp_conv2d(to, from, kW, 0, &kRows, nullptr, 8, &kernel, &kNoPads, &step, &kOne, DT_FP32,
                      DT_FP32, false, false);
}

// ---- a window reads padding ----

constexpr Windowed kWindows[] = {{12, 2, 1, 0}, {12, 3, 1, 0}, {9, 4, 2, 0},  {14, 2, 2, 0},
                                 {12, 2, 1, 1}, {12, 3, 1, 1}, {9, 4, 2, 1},  {12, 2, 1, 2},
                                 {12, 3, 1, 2}, {9, 4, 2, 2},  {12, 2, 1, 3}, {12, 3, 2, 3}};

void fill_weights() {
  const dim4 weights = {1, 8, 1, 64};
  fill(kW, 0.5f, weights);
}

void window_on_padding(const void* args, unsigned variant) {
  const Windowed& of = kWindows[variant];
  tpu_initialize();
  fill_weights();
  load_part(args, of.loaded);
  PLANTED mul_C(kY, kX, 2.0f, kRows);
  window(of, kZ, kY);
  store(arguments(args).output, kZ, {1, 8, 1, of.outputs()});
  tpu_poll();
}
TW_VARIANTS(window_on_padding)

// ---- a sum over a rest ----

constexpr Windowed kSums[] = {{1, 16, 1, 1}, {3, 16, 1, 1},  {8, 16, 1, 1},  {15, 16, 1, 1},
                              {1, 16, 1, 2}, {8, 16, 1, 2},  {15, 16, 1, 2}, {1, 16, 1, 3},
                              {8, 16, 1, 3}, {15, 16, 1, 3}, {12, 8, 8, 1},  {12, 8, 8, 2}};

void sum_of_a_rest(const void* args, unsigned variant) {
  const Windowed& of = kSums[variant];
  tpu_initialize();
  const dim4 weights = {1, 8, 1, 128};
  fill(kW, 0.5f, weights);
  load_part(args, of.loaded);
  PLANTED window(of, kY, kX);
  add_C(kZ, kY, 1.0f, {1, 8, 1, of.outputs()});
  store(arguments(args).output, kZ, {1, 8, 1, of.outputs()});
  tpu_poll();
}
TW_VARIANTS(sum_of_a_rest)

// ---- an undefined index ----

scalar_t integer(uint32_t value) {
  scalar_t scalar;
  scalar.u32 = value;
  return scalar;
}

// The last six of twelve: one or two commands make the index of undefined bytes.
void make_index(unsigned way) {
  switch (way) {
    case 0:
      PLANTED tpu_bdc_int_add_C(kY, kW, integer(1), &kRows, nullptr, nullptr, DT_UINT16, DT_UINT16,
                                DT_UINT16, 0, RM_HALF_TO_EVEN, true);
      return;
    case 1:
      PLANTED tpu_bdc_and_C(kY, kW, integer(7), &kRows, nullptr, nullptr, DT_UINT16);
      return;
    case 2:
      PLANTED tpu_bdc_min_C(kY, kW, integer(9), &kRows, nullptr, nullptr, DT_UINT16);
      return;
    case 3:
      PLANTED tpu_bdc_arithmetic_shift_C(kY, kW, -8, &kRows, nullptr, nullptr, DT_UINT16, DT_UINT16,
                                         RM_HALF_TO_EVEN);
      return;
    case 4:
      PLANTED tpu_bdc_cpy(kY, kW, &kRows, nullptr, nullptr, DT_UINT16);
      return;
    default:
      PLANTED tpu_bdc_max_C(kY, kW, integer(3), &kRows, nullptr, nullptr, DT_UINT16);
  }
}

void gather_by_undefined(const void* args, unsigned variant) {
  const local_addr_t index = kW + kBank;
  tpu_initialize();
  load(kX, arguments(args).input, kRows);
  fill(kZ, 0.0f, kRows);  // a scatter writes a part
  make_index(variant % 6);
  tpu_bdc_cpy(index, kY, &kRows, nullptr, nullptr, DT_UINT16);
  if (variant < 6)
    tpu_bdc_w_gather(kZ, kX, index, &kRows, kWidth, DT_FP32, DT_UINT16);
  else
    tpu_bdc_w_scatter(kZ, kX, index, &kRows, kWidth, DT_FP32, DT_UINT16);
  store(arguments(args).output, kZ, kRows);
  tpu_poll();
}
TW_VARIANTS(gather_by_undefined)

// ---- a transposition ----

void transposition(const void* args, unsigned variant) {
  const unsigned way = variant % 5;
  const int lanes = variant < 5 ? 7 : 5;
  const dim4 swapped = {8, 1, 1, kWidth}, across = {1, kWidth, 1, 8};
  tpu_initialize();
  load(kX, arguments(args).input, {1, lanes, 1, kWidth});
  PLANTED add_C(kY, kX, 1.0f, kRows);
  if (way == 0)
    tpu_gdma_cpy_nc_trans_L2S(arguments(args).output, kY, &swapped, nullptr, nullptr, DT_FP32);
  if (way == 1)
    tpu_gdma_cpy_cw_trans_L2S(arguments(args).output, kY, &across, nullptr, nullptr, DT_FP32);
  if (way == 2) {
    tpu_gdma_cpy_nc_trans_L2L(kZ, kY, &swapped, nullptr, nullptr, DT_FP32);
    store(arguments(args).output, kZ, swapped);
  }
  if (way == 3) {
    tpu_bdc_cw_trans(kZ, kY, &across, DT_FP32);
    store(arguments(args).output, kZ, across);
  }
  if (way == 4) {
    tpu_bdc_wc_trans(kZ, kY, &across, DT_FP32);
    store(arguments(args).output, kZ, across);
  }
  tpu_poll();
}
TW_VARIANTS(transposition)

// ---- casts ----

struct Types {
  data_type_t first, second;
};
constexpr Types kTypes[] = {{DT_FP16, DT_FP32},  {DT_BFP16, DT_FP32}, {DT_UINT8, DT_FP16},
                            {DT_INT32, DT_FP32}, {DT_INT16, DT_FP32}, {DT_UINT16, DT_FP32},
                            {DT_INT8, DT_FP32},  {DT_UINT8, DT_FP32}, {DT_INT8, DT_FP16},
                            {DT_INT16, DT_INT32}};

void two_casts(const void* args, unsigned variant) {
  const auto [first, second] = kTypes[variant % std::size(kTypes)];
  tpu_initialize();
  load_part(args, 11);
  PLANTED tpu_bdc_cast(kY, kX, &kRows, nullptr, nullptr, first, DT_FP32, RM_HALF_TO_EVEN);
  tpu_bdc_cast(kZ, kY, &kRows, nullptr, nullptr, second, first, RM_HALF_TO_EVEN);
  tpu_gdma_cpy_L2S(arguments(args).output, kZ, &kRows, nullptr, nullptr, second);
  tpu_poll();
}
TW_VARIANTS(two_casts)

// ---- fused steps: a convolution with bias, ReLU and shift ----

struct Fused {
  int missing;  // 0: a bias, 1: weights of a channel, 2: a row of the input
  data_type_t out;
  bool has_relu;
};
constexpr Fused kFused[] = {{0, DT_UINT8, true},  {0, DT_INT8, false}, {0, DT_INT16, false},
                            {0, DT_UINT16, true}, {1, DT_UINT8, true}, {1, DT_INT8, false},
                            {1, DT_INT16, false}, {2, DT_UINT8, true}, {2, DT_INT8, false},
                            {2, DT_INT16, false}, {2, DT_UINT16, true}};

void fused_steps(const void* args, unsigned variant) {
  const auto [missing, type, has_relu] = kFused[variant % std::size(kFused)];
  const dim4 in = {1, 4, 4, 4}, rows = {1, 4, 3, 4}, out = {1, 8, 4, 4};
  const dim4 weights = {1, missing == 1 ? 7 : 8, 1, 64}, biases = {1, missing == 0 ? 7 : 8, 1, 1};
  dim4 compact;
  tpu_initialize();
  tpu_gdma_cpy_S2L(kX, arguments(args).input, missing == 2 ? &rows : &in, nullptr, nullptr,
                   DT_INT8);
  tpu_compact_stride(&compact, 0, &weights);
  tpu_gdma_cpy_S2L(kW, arguments(args).input, &weights, &compact, nullptr, DT_INT8);
  tpu_compact_stride(&compact, 0, &biases);
  tpu_gdma_cpy_S2L(kY, arguments(args).input, &biases, &compact, nullptr, DT_INT16);
  PLANTED tpu_bdc_int8_sym_quant_conv2d(kZ, kX, kW, kY, &in, nullptr, 8, &kOne, &kNoPads, &kOne,
                                        &kOne, type, DT_INT8, DT_INT8, DT_INT16, 2, true, has_relu);
  tpu_bdc_cpy(kZ + kBank, kZ, &out, nullptr, nullptr, type);
  tpu_gdma_cpy_L2S(arguments(args).output, kZ + kBank, &out, nullptr, nullptr, type);
  tpu_poll();
}
TW_VARIANTS(fused_steps)

struct Kind {
  const char* kernel;
  unsigned variants;
  size_t steps;  // of the way, with the sink
};
constexpr Kind kKinds[] = {{"window_on_padding", std::size(kWindows), 3},
                           {"sum_of_a_rest", std::size(kSums), 3},
                           {"gather_by_undefined", 12, 2},
                           {"transposition", 10, 2},
                           {"two_casts", std::size(kTypes), 3},
                           {"fused_steps", std::size(kFused), 3}};

class UndefinedKinds : public ::testing::TestWithParam<Kind> {};

TEST_P(UndefinedKinds, AreFoundInEachVariant) {
  const Kind& kind = GetParam();
  EXPECT_GE(kind.variants, 10u);
  for (unsigned variant = 0; variant < kind.variants; ++variant) {
    const std::string kernel = kind.kernel + ("_" + std::to_string(variant));
    SCOPED_TRACE(kernel);
    expect_planted(findings_of("BM1684X", {kernel}, 512), "", "undefined_kinds.cc", kind.steps);
  }
}
INSTANTIATE_TEST_SUITE_P(Kernels, UndefinedKinds, ::testing::ValuesIn(kKinds),
                         [](const auto& info) { return std::string(info.param.kernel); });

}  // namespace
}  // namespace tputwin::insight::testing
