// TW-TPU: rules of the functions of floating-point tensors.
#include <tpu_kernel.h>

#include "errors/trigger.h"
#include "machine/device.h"
#include "memory/layout.h"
#include "ops/operation.h"
#include "sdk/okkernel/run_kernel.h"

namespace tputwin::testing {
namespace {

constexpr dim4 kShape{1, 4, 2, 8};
constexpr local_addr_t kSrc = 0x1000, kDst = 0x2000, kWork = 0x3000, kCoeff = 0x4000;

// The first rule that the calls of `code` break, run as a kernel of a BM1684X.
Status in_kernel(const std::function<void()>& code) {
  auto device =
      Device::create({.chip = &bm1684x(), .global_bytes = uint64_t{1} << 20, .strict = true});
  if (!device.ok()) return device.error();
  const auto run = [](const void* function) {
    tpu_initialize();
    (*static_cast<const std::function<void()>*>(function))();
  };
  const okk::Outcome outcome = okk::run_kernel(**device, "kernel", run, &code);
  return outcome.error ? Status(*outcome.error) : Status();
}

TW_TRIGGER(tpu_iterations,
           [] { return in_kernel([] { tpu_bdc_fp32_tunable_rsqrt(kDst, kSrc, &kShape, 0); }); });

TW_TRIGGER(tpu_taylor_terms, [] {
  return in_kernel([] { tpu_bdc_fp_taylor(kDst, kSrc, kCoeff, &kShape, 1, DT_FP32); });
});

TW_TRIGGER(tpu_work_overlap,
           [] { return in_kernel([] { tpu_bdc_fp32_sin(kDst, kSrc, kDst, kCoeff, &kShape); }); });

}  // namespace
}  // namespace tputwin::testing
