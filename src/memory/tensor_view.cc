// Views, shapes and types in the words of messages.
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
    case DType::f32:
      return "f32";
    case DType::b32:
      return "b32";
    case DType::f16:
      return "f16";
    case DType::bf16:
      return "bf16";
    case DType::u32:
      return "u32";
    case DType::i32:
      return "i32";
  }
  return "?";
}

const char* to_string(Space space) {
  switch (space) {
    case Space::local:
      return "local";
    case Space::global:
      return "global";
    case Space::l2:
      return "l2";
    case Space::dtcm:
      return "dtcm";
  }
  return "?";
}

std::string describe(const Shape& s) { return fmt::format("({},{},{},{})", s.n, s.c, s.h, s.w); }

std::string describe(const Stride& s) { return fmt::format("({},{},{},{})", s.n, s.c, s.h, s.w); }

namespace {

const char* prefix(Space space) {
  switch (space) {
    case Space::local:
      return "L";
    case Space::global:
      return "G";
    case Space::l2:
      return "L2";
    case Space::dtcm:
      return "DTCM";
  }
  return "?";
}

}  // namespace

std::string describe(const TensorView& view) {
  const uint32_t unit = run_bytes(view);
  const Stride stride{view.stride.n / unit, view.stride.c / unit, view.stride.h / unit,
                      view.stride.w / unit};
  std::string text =
      fmt::format("{}{}@{}+{:#x} stride{}", to_string(view.dtype), describe(view.shape),
                  prefix(view.space), view.address, describe(stride));
  if (view.pack > 1) text += fmt::format(" pack {}", view.pack);
  if (!is_run(view)) text += fmt::format(" high+{:#x}", view.plane_stride);
  return text;
}

}  // namespace tputwin
