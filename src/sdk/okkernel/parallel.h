// Waits and parallel sections of both chips' APIs, each with its own rules.
#pragma once

#include "sdk/okkernel/kernel_call.h"

namespace tputwin::okk {

inline bool require_parallel(KernelCall& call, bool is_parallel, ErrorId rule) {
  return call.ok() && call.require(call.session().parallel() == is_parallel, rule, "parallel mode",
                                   is_parallel ? "inactive" : "active");
}

inline void poll(KernelCall& call, ErrorId in_parallel) {
  if (require_parallel(call, false, in_parallel)) call.session().poll();
}
inline void start_parallel(KernelCall& call, ErrorId nested) {
  if (require_parallel(call, false, nested)) call.session().start_parallel();
}
inline void end_parallel(KernelCall& call, ErrorId outside) {
  if (require_parallel(call, true, outside)) call.session().end_parallel();
}

}  // namespace tputwin::okk
