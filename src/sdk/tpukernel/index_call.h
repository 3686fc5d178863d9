// Calls whose index tensors a body looks at.
#pragma once

#include "sdk/tpukernel/call.h"

namespace tputwin::tpu {

// What the body found, once it has run: at once in the order of the calls; with another schedule
// nothing is known yet.
inline void report(Call& call, const IndexFault& fault, ErrorId rule, std::string_view argument) {
  if (call.ok() && fault.index) call.require(false, rule, argument, *fault.index);
}

}  // namespace tputwin::tpu
