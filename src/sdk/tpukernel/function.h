// Shared parts of functions of floating-point tensors: operands in the aligned layout, work tensors
// by their names.
#pragma once

#include <initializer_list>

#include "sdk/tpukernel/call.h"

namespace tputwin::tpu {

// A tensor by the name of its argument.
struct Named {
  std::string_view name;
  local_addr_t address;
};

#define TPU_NAMED(argument) \
  Named { #argument, argument }

// Returns a function with output, input and work tensors.
inline FloatFunction aligned(Call& call, FloatFunction::Kind kind, local_addr_t dst_addr,
                             local_addr_t src_addr, const dim4* shape,
                             std::initializer_list<Named> work = {}, DType type = DType::f32) {
  const Shape s = call.shape(shape);
  FloatFunction op{.kind = kind};
  op.out = call.aligned("dst_addr", dst_addr, s, type);
  op.a = Source::tensor(call.aligned("src_addr", src_addr, s, type));
  size_t i = 0;
  for (const auto& [name, address] : work) op.work[i++] = call.aligned(name, address, s, type);
  return op;
}

}  // namespace tputwin::tpu
