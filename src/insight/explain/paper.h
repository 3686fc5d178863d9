// Paper: collects the lines of a formula with its numbers.
#pragma once

#include <fmt/format.h>

#include <string>

#include "numerics/float16.h"
#include "numerics/integer.h"
#include "ops/contract/taps.h"

namespace tputwin::explain {

// Returns for example "in(0,3,5,2)".
inline std::string place(std::string_view name, uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
  return fmt::format("{}({},{},{},{})", name, n, c, h, w);
}
inline std::string place(std::string_view name, uint32_t row, uint32_t column) {
  return fmt::format("{}({},{})", name, row, column);
}
// Names the source of a tap of a window.
inline std::string place_of_tap(TapKind kind, uint32_t n, uint32_t c, uint32_t y, uint32_t x) {
  if (kind == TapKind::inside) return place("in", n, c, y, x);
  return kind == TapKind::padding ? "padding" : "inserted";
}

class Paper {
 public:
  template <class... Values>
  void line(fmt::format_string<Values...> form, Values&&... values) {
    text_ += "  " + fmt::format(form, std::forward<Values>(values)...) + "\n";
  }
  // Prints one product and the sum after it.
  template <class Factor, class Sum>
  void term(const std::string& left, Factor a, const std::string& right, Factor b, Sum product,
            Sum sum, std::string_view where = "sum") {
    line("{} {} * {} {} = {}; {} {}", left, a, right, b, product, where, sum);
  }
  // Prints a step from one number to the next, if it changes the number.
  int64_t step(std::string_view what, int64_t before, int64_t after) {
    if (before != after) line("{}: {}", what, after);
    return after;
  }
  // The epilogue of integers: shift with rounding, then saturation to the type.
  int32_t shift_and_saturate(int64_t value, uint32_t rshift, DType dtype) {
    const int64_t shifted = round_shift(value, rshift);
    if (rshift != 0) line("/ 2^{}, half up: {}", rshift, shifted);
    return saturated(shifted, dtype);
  }
  int32_t saturated(int64_t value, DType dtype) {
    const int32_t result = saturate(value, dtype);
    if (integer_value(result, dtype) != value)
      line("saturated to {}: {}", to_string(dtype), integer_value(result, dtype));
    return result;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace tputwin::explain
