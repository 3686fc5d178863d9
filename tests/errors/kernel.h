// Rules of OKKernel calls: code run as a kernel of a BM1684 on which warnings are errors.
#pragma once

#include <okk.h>

#include <functional>

#include "machine/device.h"
#include "sdk/okkernel/run_kernel.h"

namespace tputwin::testing {

// Returns the first rule that the calls of `code` break.
inline Status in_kernel(const std::function<void()>& code, const Chip& chip = bm1684()) {
  auto device = Device::create({.chip = &chip, .global_bytes = uint64_t{1} << 20, .strict = true});
  if (!device.ok()) return device.error();
  const auto run = [](const void* function) {
    okk_initialize();
    (*static_cast<const std::function<void()>*>(function))();
  };
  const okk::Outcome outcome = okk::run_kernel(**device, "kernel", run, &code);
  return outcome.error ? Status(*outcome.error) : Status();
}

}  // namespace tputwin::testing
