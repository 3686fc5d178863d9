// Structures of the C API as views of local and global memory.
#include "sdk/bmkernel/operand.h"

#include <fmt/format.h>

namespace tputwin::bmkernel {

Stride strides(const Chip& chip, const tensor_lmem& t) {
  return t.stride != nullptr ? to_stride(*t.stride) : default_strides(chip, t, t.aligned);
}

TensorView view(const Chip& chip, const tensor_lmem& t, DType dtype, const Stride& stride) {
  return {.space = Space::local,
          .dtype = dtype,
          .address = t.operand.laddr,
          .shape = nchw(chip, t.shape),
          .stride = stride};
}

TensorView view(const Chip& chip, const tensor_lmem& t, DType dtype) {
  return view(chip, t, dtype, strides(chip, t));
}

Error broken(ErrorId rule, std::string_view argument, std::string value) {
  return Error(rule).argument(argument, std::move(value));
}

uint32_t element_bits(fmt_t fmt) {
  switch (fmt) {
    case FMT_F32:
    case FMT_I32:
      return 32;
    case FMT_F16:
    case FMT_I16:
    case FMT_U16:
      return 16;
    case FMT_I8:
    case FMT_U8:
      return 8;
    case FMT_I4:
      return 4;
    case FMT_I2:
      return 2;
    case FMT_I1:
      return 1;
    default:
      return 0;
  }
}

int bytes_per_lane(const Chip& chip, const shape_t& s, bool aligned, fmt_t fmt) {
  uint64_t elements = local_lane_bytes(chip, nchw(chip, s), aligned);
  return static_cast<int>(elements * element_bits(fmt) / 8);
}

std::string describe(const shape_t& s) {
  return is_matrix(s) ? fmt::format("matrix ({},{})", s.row, s.col)
                      : fmt::format("({},{},{},{})", s.n, s.c, s.h, s.w);
}

std::string describe(const tensor_lmem& t) {
  std::string layout = t.stride != nullptr ? "stride " + tputwin::describe(to_stride(*t.stride))
                       : t.aligned         ? "aligned"
                                           : "unaligned";
  std::string fmt = t.fmt == FMT_I8 ? "i8" : t.fmt == FMT_U8 ? "u8" : fmt::format("fmt {}", t.fmt);
  return fmt::format("{} {} at {:#x}, {}", fmt, describe(t.shape), t.operand.laddr, layout);
}

}  // namespace tputwin::bmkernel
