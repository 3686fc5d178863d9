// The two sides of functions between memories: L is local memory, S is global memory or L2-SRAM.
#pragma once

#include "base/errors/tpukernel.h"
#include "sdk/tpukernel/call.h"

namespace tputwin::tpu {

struct L {
  using Address = local_addr_t;
  static TensorView view(Call& call, std::string_view name, Address address, const Shape& shape,
                         const dim4* stride, DType dtype) {
    return call.lanes(name, address, shape, stride, dtype);
  }
};

struct S {
  using Address = system_addr_t;
  static TensorView view(Call& call, std::string_view name, Address address, const Shape& shape,
                         const dim4* stride, DType dtype) {
    return call.system(name, address, shape, stride, dtype);
  }
};

// Returns a view in the memory that an argument names.
inline TensorView view_in(bool is_local, Call& call, std::string_view name, addr_t address,
                          const Shape& shape, const dim4* stride, DType dtype) {
  if (!is_local) return call.system(name, address, shape, stride, dtype);
  if (!call.require(address <= UINT32_MAX, errors::tpu_local_address, name, Hex{address}))
    return {};
  return call.lanes(name, static_cast<local_addr_t>(address), shape, stride, dtype);
}

constexpr Shape swap_nc(const Shape& s) { return {s.c, s.n, s.h, s.w}; }
constexpr Shape swap_cw(const Shape& s) { return {s.n, s.w, s.h, s.c}; }

}  // namespace tputwin::tpu
