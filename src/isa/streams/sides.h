// The two sides of a GDMA command: addresses, shapes, strides. Their fields have equal names on the
// BM1684 and BM1684X. `Command` is the GdmaCommand of either chip.
#pragma once

#include "isa/streams/reader.h"

namespace tputwin::isa {

// The two words of an address as one number, under the name of the lower word. `side`: src, dst,
// ...
#define TW_ADDRESS(command, side)                                                               \
  ::tputwin::isa::Named {                                                                       \
#side "_start_addr", (command).side##_start_addr_l32 | (command).side##_start_addr_h8 << 32 \
  }

template <typename Command>
Shape source_shape(const Command& c, CommandReader& r) {
  return r.shape(TW_OF(c, src_nsize), TW_OF(c, src_csize), TW_OF(c, src_hsize),
                 TW_OF(c, src_wsize));
}
template <typename Command>
Shape target_shape(const Command& c, CommandReader& r) {
  return r.shape(TW_OF(c, dst_nsize), TW_OF(c, dst_csize), TW_OF(c, dst_hsize),
                 TW_OF(c, dst_wsize));
}
template <typename Command>
ElementStrides source_strides(const Command& c) {
  return {c.src_nstride, c.src_cstride, c.src_hstride, c.src_wstride};
}
template <typename Command>
ElementStrides target_strides(const Command& c) {
  return {c.dst_nstride, c.dst_cstride, c.dst_hstride, c.dst_wstride};
}

inline bool is_local(const CommandReader& r, const Named& address) {
  return address.value - r.chip().local_base < r.chip().local_bytes();
}

}  // namespace tputwin::isa
