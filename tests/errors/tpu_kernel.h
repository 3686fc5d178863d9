// Rules of TPUKernel calls: code run as a kernel of a BM1684X on which warnings are errors.
#pragma once

#include <tpu_kernel.h>

#include <functional>

#include "errors/trigger.h"
#include "machine/device.h"
#include "sdk/okkernel/run_kernel.h"

namespace tputwin::testing {

inline constexpr dim4 kTpuShape{1, 4, 2, 8};

// Returns the first rule that the calls of `code` break.
inline Status in_tpu_kernel(const std::function<void()>& code, const Chip& chip = bm1684x()) {
  auto device = Device::create({.chip = &chip, .global_bytes = uint64_t{1} << 20, .strict = true});
  if (!device.ok()) return device.error();
  const auto run = [](const void* function) {
    tpu_initialize();
    (*static_cast<const std::function<void()>*>(function))();
  };
  const okk::Outcome outcome = okk::run_kernel(**device, "kernel", run, &code);
  return outcome.error ? Status(*outcome.error) : Status();
}

}  // namespace tputwin::testing
