// OKKernel calls for TW_TRIGGER: a kernel's run on a BM1684 of its own, where warnings are errors.
#pragma once

#include <okk.h>

#include <functional>

#include "machine/device.h"
#include "sdk/okkernel/session.h"

namespace tputwin::testing {

// The first rule that the calls break.
inline Status run_kernel(const std::function<void()>& calls) {
  auto device = Device::create({.chip = &bm1684(), .strict = true});
  if (!device.ok()) return device.error();
  okk::Session session(**device);
  const okk::ScopedSession scope(session);
  calls();
  return (*device)->drain();
}

}  // namespace tputwin::testing
