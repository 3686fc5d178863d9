// Calls whose kernels check index tensors while they run.
#pragma once

#include "sdk/tpukernel/call.h"

namespace tputwin::tpu {

// Reports the fault that the kernel found. Under the schedule `program` the operation has run
// already; under another schedule its fault is not known yet.
inline void report(Call& call, const IndexFault& fault, ErrorId rule, std::string_view argument) {
  if (call.ok() && fault.index) call.require(false, rule, argument, *fault.index);
}

}  // namespace tputwin::tpu
