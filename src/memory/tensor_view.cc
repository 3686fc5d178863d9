#include "memory/tensor_view.h"

#include <fmt/format.h>

namespace tputwin {

const char* to_string(DType dtype) {
  switch (dtype) {
    case DType::u8:
      return "u8";
    case DType::i8:
      return "i8";
    case DType::u16:
      return "u16";
    case DType::i16:
      return "i16";
  }
  return "?";
}

std::string describe(const Shape& s) { return fmt::format("({},{},{},{})", s.n, s.c, s.h, s.w); }

std::string describe(const Stride& s) { return fmt::format("({},{},{},{})", s.n, s.c, s.h, s.w); }

std::string describe(const TensorView& view) {
  std::string text =
      fmt::format("{}{}@{}{:#x} stride{}", to_string(view.dtype), describe(view.shape),
                  view.space == Space::local ? "L+" : "G+", view.address, describe(view.stride));
  if (is_16bit(view.dtype)) text += fmt::format(" high+{:#x}", view.plane_stride);
  return text;
}

}  // namespace tputwin
