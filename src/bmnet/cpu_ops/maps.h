// Tensors as the detectors of the host (host/detection/detectors.h) take them.
#pragma once

#include "bmnet/cpu_ops/operator.h"
#include "host/detection/detectors.h"

namespace tputwin::net::cpu {

inline host::Maps maps_of(const ConstTensor& tensor) {
  const Shape4 shape = shape4(tensor);
  return {tensor.data, shape.n, shape.c, shape.h, shape.w};
}

// Returns an error for a rule that is broken.
inline Status keeps(const Call& call, std::string rule) {
  return rule.empty() ? Status() : Status(fail(call, std::move(rule)));
}

}  // namespace tputwin::net::cpu
