// Converts tensors to pictures.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "insight/debug/memory_text.h"
#include "ops/contract/kernel_steps.h"

namespace tputwin::debug {
namespace {

constexpr uint32_t kTerminalColumns = 80;  // of a terminal

struct Range {
  double low, high;
};

// Returns the range of values that maps to 0 to 255: all values of a byte type, else the smallest
// to the largest finite value.
Range range_of(const TensorView& v, const Memory& memory, uint32_t n, uint32_t first,
               uint32_t channels) {
  if (v.dtype == DType::u8) return {0, 255};
  if (v.dtype == DType::i8) return {-128, 127};
  Range range{INFINITY, -INFINITY};
  for (uint32_t c = first; c < first + channels; ++c)
    for (uint32_t h = 0; h < v.shape.h; ++h)
      for (uint32_t w = 0; w < v.shape.w; ++w) {
        const double value = element_value(memory.read(v, n, c, h, w), v.dtype);
        if (!std::isfinite(value)) continue;
        range = {std::min(range.low, value), std::max(range.high, value)};
      }
  return range;
}

uint8_t level(double value, const Range& range) {
  if (!std::isfinite(value) || !(range.high > range.low)) return 0;
  const double part = (value - range.low) / (range.high - range.low);
  return static_cast<uint8_t>(std::lround(std::clamp(part, 0.0, 1.0) * 255));
}

}  // namespace

Picture picture_of(const TensorView& v, const Memory& memory, uint32_t n, uint32_t c) {
  Picture picture{v.shape.w, v.shape.h, {}};
  const bool colour = v.shape.c == 3;
  const uint32_t first = colour ? 0 : c;
  const Range range = range_of(v, memory, n, first, colour ? 3 : 1);
  for (uint32_t h = 0; h < v.shape.h; ++h)
    for (uint32_t w = 0; w < v.shape.w; ++w)
      for (uint32_t i = 0; i < 3; ++i) {
        const uint32_t channel = colour ? i : c;
        picture.rgb.push_back(
            level(element_value(memory.read(v, n, channel, h, w), v.dtype), range));
      }
  return picture;
}

std::string terminal_text(const Picture& picture, bool colour) {
  constexpr std::string_view kShades = " .:-=+*#%@";
  const uint32_t columns = std::min(picture.width, kTerminalColumns);
  // A character is twice as high as wide.
  const auto lines = std::max<uint32_t>(
      1, static_cast<uint32_t>(uint64_t{picture.height} * columns / picture.width / 2));
  const auto pixel = [&](uint32_t column, uint32_t half) {
    const uint32_t x = static_cast<uint32_t>(uint64_t{column} * picture.width / columns);
    const uint32_t y = static_cast<uint32_t>(uint64_t{half} * picture.height / (2 * lines));
    return &picture.rgb[(uint64_t{y} * picture.width + x) * 3];
  };
  std::string text;
  for (uint32_t line = 0; line < lines; ++line) {
    for (uint32_t column = 0; column < columns; ++column) {
      const uint8_t *up = pixel(column, 2 * line), *down = pixel(column, 2 * line + 1);
      if (colour) {
        text += fmt::format("\x1b[38;2;{};{};{}m\x1b[48;2;{};{};{}m\xe2\x96\x80", up[0], up[1],
                            up[2], down[0], down[1], down[2]);
      } else {
        const uint32_t sum = up[0] + up[1] + up[2] + down[0] + down[1] + down[2];
        text += kShades[sum * (kShades.size() - 1) / (6 * 255)];
      }
    }
    text += colour ? "\x1b[0m\n" : "\n";
  }
  return text;
}

}  // namespace tputwin::debug
