// TW-TPU: rules of the functions of floating-point tensors.
#include "base/errors/tpukernel.h"
#include "errors/tpu_kernel.h"

namespace tputwin::testing {
namespace {

constexpr local_addr_t kSrc = 0x1000, kDst = 0x2000, kCoeff = 0x4000;

TW_TRIGGER(tpu_iterations, [] {
  return in_tpu_kernel([] { tpu_bdc_fp32_tunable_rsqrt(kDst, kSrc, &kTpuShape, 0); });
});

TW_TRIGGER(tpu_taylor_terms, [] {
  return in_tpu_kernel([] { tpu_bdc_fp_taylor(kDst, kSrc, kCoeff, &kTpuShape, 1, DT_FP32); });
});

TW_TRIGGER(tpu_cast_in_place, [] {
  return in_tpu_kernel([] {
    tpu_bdc_cast(kSrc, kSrc, &kTpuShape, nullptr, nullptr, DT_FP32, DT_FP16, RM_HALF_TO_EVEN);
  });
});

TW_TRIGGER(tpu_work_overlap, [] {
  return in_tpu_kernel([] { tpu_bdc_fp32_sin(kDst, kSrc, kDst, kCoeff, &kTpuShape); });
});

}  // namespace
}  // namespace tputwin::testing
