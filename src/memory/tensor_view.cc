// Text of views, shapes and types in messages.
#include "memory/tensor_view.h"

#include <fmt/format.h>

#include <iterator>

namespace tputwin {

const char* to_string(DType dtype) {
  constexpr const char* kNames[] = {"u8",  "i8",  "u16",  "i16", "f32",
                                    "b32", "f16", "bf16", "u32", "i32"};
  static_assert(std::size(kNames) == static_cast<size_t>(DType::i32) + 1);
  return kNames[static_cast<size_t>(dtype)];
}

const char* to_string(Space space) {
  constexpr const char* kNames[] = {"local", "global", "l2", "dtcm"};
  static_assert(std::size(kNames) == static_cast<size_t>(Space::dtcm) + 1);
  return kNames[static_cast<size_t>(space)];
}

std::string describe(const Shape& s) { return fmt::format("({},{},{},{})", s.n, s.c, s.h, s.w); }

std::string describe(const Stride& s) { return fmt::format("({},{},{},{})", s.n, s.c, s.h, s.w); }

namespace {

const char* prefix(Space space) {
  constexpr const char* kPrefixes[] = {"L", "G", "L2", "DTCM"};
  return kPrefixes[static_cast<size_t>(space)];
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
