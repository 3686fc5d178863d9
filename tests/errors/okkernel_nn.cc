// TW-OKK-03xx: convolution, pooling and matrix product.
#include "base/errors/okkernel.h"
#include "errors/kernel.h"
#include "errors/trigger.h"
#include "memory/layout.h"
#include "ops/matmul/matmul_bm1684.h"

namespace tputwin::testing {
namespace {

constexpr local_addr_t kOut = 0, kIn = 0x10000, kWeight = 0x20000, kBias = 0x30000;

// A call that is legal with its default arguments.
struct Pool {
  dim4 shape{1, 4, 8, 8};
  int kernel_h = 2, kernel_w = 2;
  Padding padding{0, 0, 0, 0};
  dim2 stride{1, 1};

  Status run() const {
    return in_kernel(
        [&] { okk_bdc_max_pool2d(kOut, kIn, &shape, kernel_h, kernel_w, &padding, &stride); });
  }
};

Status convolution(int output_c, const dim2& dilation, local_addr_t in = kIn,
                   local_addr_t weight = kWeight) {
  return in_kernel([&] {
    const dim4 shape{1, 4, 8, 8};
    okk_bdc_conv2d(kOut, in, weight, kBias, &shape, output_c, 1, 1, nullptr, nullptr, true, false,
                   nullptr, nullptr, &dilation);
  });
}

Status product(int rows, int right_cols, int right_cols_per_channel) {
  return in_kernel([&] {
    okk_bdc_matmul(kOut, kIn, kWeight, kBias, rows, 4, right_cols, 4, right_cols_per_channel, true,
                   true);
  });
}

TW_TRIGGER(okk_window_kernel, [] { return Pool{.kernel_h = 0}.run(); });
TW_TRIGGER(okk_window_padding, [] { return Pool{.padding = {0, 0, 16, 0}}.run(); });
TW_TRIGGER(okk_window_stride, [] { return Pool{.stride = {1, 16}}.run(); });
TW_TRIGGER(okk_window_dilation_0, [] { return convolution(8, {0, 1}); });
TW_TRIGGER(okk_window_dilation, [] { return convolution(8, {1, 16}); });
TW_TRIGGER(okk_window_output, [] { return Pool{.kernel_w = 9}.run(); });
TW_TRIGGER(okk_window_input, [] {
  return Pool{.shape = {1, 1, 1, 2048}, .kernel_h = 1, .kernel_w = 8, .stride = {1, 8}}.run();
});
TW_TRIGGER(okk_window_padded, [] {
  return Pool{.shape = {1, 1, 1, 2047},
              .kernel_h = 1,
              .kernel_w = 8,
              .padding = {0, 0, 1, 0},
              .stride = {1, 8}}
      .run();
});
TW_TRIGGER(okk_output_channels, [] { return convolution(4096, {1, 1}); });
TW_TRIGGER(okk_output_on_input, [] { return convolution(8, {1, 1}, kOut); });
TW_TRIGGER(okk_address_8, [] { return convolution(8, {1, 1}, kIn, kWeight + 4); });
TW_TRIGGER(okk_matmul_extent, [] { return product(0, 8, 8); });
TW_TRIGGER(okk_matmul_per_channel, [] { return product(3, 129, 129); });

// An operation that no call can make.
TW_TRIGGER(okk_matmul_depth, [] {
  auto matrix = [](uint64_t address, uint32_t rows, uint32_t cols) {
    const Shape shape{rows, 1, 1, cols};
    return MatrixView{{.dtype = DType::f32,
                       .address = address,
                       .shape = shape,
                       .stride = lane_stride(bm1684(), shape, 0, 4, /*aligned=*/true)},
                      rows,
                      cols};
  };
  const MatmulBm1684 op{
      .out = matrix(kOut, 2, 4), .left = matrix(kIn, 2, 3), .right = matrix(kWeight, 5, 4)};
  return check(op, bm1684());
});

}  // namespace
}  // namespace tputwin::testing
