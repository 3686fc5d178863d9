// TW-OKK: rules of every function, and rules of the fp32 element-wise functions.
#include "base/errors/okkernel.h"
#include "base/last_error.h"
#include "errors/kernel.h"
#include "errors/trigger.h"
#include "memory/layout.h"
#include "ops/operation.h"

namespace tputwin::testing {
namespace {

constexpr dim4 kShape{1, 4, 2, 8};
constexpr local_addr_t kSrc = 0x1000, kDst = 0x2000, kWork = 0x3000, kNpu = 512 * 1024;

TW_TRIGGER(okk_no_kernel, [] {
  okk_bdc_relu(kDst, kSrc, &kShape, nullptr, nullptr);
  return *thread_diagnostics().last_error();
});

TW_TRIGGER(okk_null,
           [] { return in_kernel([] { okk_bdc_relu(kDst, kSrc, nullptr, nullptr, nullptr); }); });

TW_TRIGGER(okk_shape, [] {
  const dim4 shape{1, 4096, 1, 1};
  return in_kernel([&] { okk_bdc_neg(kDst, kSrc, &shape, nullptr, nullptr); });
});

TW_TRIGGER(okk_channels, [] {
  const dim4 shape{1, 4096, 1, 1};
  return in_kernel([&] { okk_bdc_relu(kDst, kSrc, &shape, nullptr, nullptr); });
});

TW_TRIGGER(okk_stride, [] {
  const dim4 stride{64, 16, -8, 1};
  return in_kernel([&] { okk_bdc_relu(kDst, kSrc, &kShape, &stride, nullptr); });
});

TW_TRIGGER(okk_address_4, [] {
  return in_kernel([] { okk_bdc_neg(kDst, kSrc + 2, &kShape, nullptr, nullptr); });
});

TW_TRIGGER(okk_address_128,
           [] { return in_kernel([] { okk_bdc_rsqrt(kDst + 4, kSrc, &kShape); }); });

TW_TRIGGER(okk_address_128_advised, [] {
  return in_kernel([] { okk_bdc_neg(kDst, kSrc + 4, &kShape, nullptr, nullptr); });
});

TW_TRIGGER(okk_local_address, [] {
  return in_kernel([] { okk_bdc_neg(64 * kNpu, kSrc, &kShape, nullptr, nullptr); });
});

TW_TRIGGER(okk_system_address, [] {
  return in_kernel([] { okk_gdma_32bit_cpy_S2L(kDst, 0x1000, &kShape, nullptr, nullptr); });
});

TW_TRIGGER(okk_dma_shape, [] {
  const dim4 shape{1, 0, 1, 1};
  return in_kernel([&] { okk_gdma_32bit_cpy_L2L(kDst, kSrc, &shape, nullptr, nullptr); });
});

TW_TRIGGER(okk_npu_0, [] {
  return in_kernel([] {
    okk_bdc_fixed_point_packed_max(kNpu, kNpu + kSrc, kNpu + kDst, &kShape, nullptr, nullptr,
                                   nullptr, S8_OP_S8_TO_S8);
  });
});

TW_TRIGGER(okk_start_npu_same, [] {
  return in_kernel([] {
    okk_bdc_depthwise2d(kDst, kNpu + kSrc, kWork, 0, &kShape, 1, 1, false, nullptr, nullptr,
                        nullptr);
  });
});

TW_TRIGGER(okk_start_npu, [] {
  return in_kernel([] { okk_bdc_add_C(kDst, kNpu + kSrc, 1, &kShape, nullptr, nullptr); });
});

TW_TRIGGER(okk_num_series,
           [] { return in_kernel([] { okk_bdc_taylor_exp(kDst, kSrc, &kShape, 65); }); });

TW_TRIGGER(okk_series_work_dst,
           [] { return in_kernel([] { okk_bdc_exp(kDst, kSrc, kDst, &kShape); }); });

TW_TRIGGER(okk_series_work_src,
           [] { return in_kernel([] { okk_bdc_sigmoid(kDst, kSrc, kSrc, &kShape); }); });

TW_TRIGGER(okk_series_dst_src,
           [] { return in_kernel([] { okk_bdc_tanh(kSrc, kSrc, kWork, &kShape); }); });

TW_TRIGGER(okk_int8_work_dst, [] {
  return in_kernel([] { okk_bdc_int8_to_fp32(kDst, kSrc, kDst, &kShape, true, true); });
});

// Operations that no call can make.
TensorView view(uint64_t address, const Shape& shape = {1, 4, 2, 8}) {
  return {.dtype = DType::f32,
          .address = address,
          .shape = shape,
          .stride = lane_stride(bm1684(), shape, 0, 4, /*aligned=*/true)};
}

UnaryF32 relu() { return {.kind = UnaryF32::Kind::relu, .out = view(kDst), .in = view(kSrc)}; }

TW_TRIGGER(okk_space, [] {
  UnaryF32 op = relu();
  op.in.space = Space::global;
  return check(op, bm1684());
});

TW_TRIGGER(okk_element, [] {
  UnaryF32 op = relu();
  op.in.dtype = DType::i8;
  return check(op, bm1684());
});

TW_TRIGGER(okk_extents, [] {
  ChannelAffine op{
      .out = view(kDst), .in = view(kSrc), .bias = Source::tensor(view(kWork, {1, 3, 1, 1}))};
  return check(op, bm1684());
});

}  // namespace
}  // namespace tputwin::testing
