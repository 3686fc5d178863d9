// TW-TPU-03xx: convolution, depthwise convolution and pooling.
#include "base/errors/tpukernel.h"
#include "errors/tpu_kernel.h"
#include "errors/trigger.h"
#include "ops/pool/pool2d_bm1684x_int8.h"

namespace tputwin::testing {
namespace {

constexpr local_addr_t kMap = 0, kInput = 0x4000, kWeight = 0x8000, kBiases = 0xc000;
constexpr dim4 kShape{1, 4, 8, 8};
constexpr dim2 kOnes{1, 1};

// A call that is legal with its default arguments.
struct Pool {
  dim4 shape = kShape;
  dim2 kernel{2, 2};
  padding_t padding{0, 0, 0, 0};
  dim2 stride = kOnes, dilation = kOnes, insert{0, 0};

  Status run() const {
    return in_tpu_kernel([&] {
      tpu_bdc_fp_ins_avg_pool2d(kMap, kInput, &shape, &kernel, &padding, &stride, &dilation,
                                &insert, DT_FP32, scalar_t{});
    });
  }
};

TW_TRIGGER(tpu_window_kernel, [] { return Pool{.kernel = {0, 2}}.run(); });
TW_TRIGGER(tpu_window_padding, [] { return Pool{.padding = {0, 0, 16, 0}}.run(); });
TW_TRIGGER(tpu_window_stride, [] { return Pool{.stride = {1, 16}}.run(); });
TW_TRIGGER(tpu_window_dilation, [] { return Pool{.dilation = {0, 1}}.run(); });
TW_TRIGGER(tpu_window_insert, [] { return Pool{.insert = {15, 0}}.run(); });
TW_TRIGGER(tpu_window_pads, [] {
  const TensorView row{.dtype = DType::i8, .shape = {1, 1, 1, 2}, .stride = {64, 64, 2, 1}};
  Pool2dBm1684xInt8 pool{.out = row, .in = row};
  pool.window = {.w = {.pad_before = 2}, .pads = PadMode::reflected};
  return check(pool, bm1684x());
});
TW_TRIGGER(tpu_window_output, [] { return Pool{.kernel = {9, 1}}.run(); });

TW_TRIGGER(tpu_result_add, [] {
  return in_tpu_kernel([] {
    tpu_bdc_fp_conv2d(kMap, kInput, kWeight, kBiases, &kShape, nullptr, 4, &kOnes, nullptr, nullptr,
                      nullptr, DT_FP16, DT_FP16, /*has_bias=*/true, /*result_add=*/true);
  });
});

TW_TRIGGER(tpu_relu_type, [] {
  return in_tpu_kernel([] {
    tpu_bdc_int8_sym_quant_conv2d(kMap, kInput, kWeight, kBiases, &kShape, nullptr, 4, &kOnes,
                                  nullptr, nullptr, nullptr, DT_INT8, DT_INT8, DT_INT8, DT_INT16, 3,
                                  /*has_bias=*/true, /*result_relu=*/true);
  });
});

}  // namespace
}  // namespace tputwin::testing
