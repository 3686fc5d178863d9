// Building blocks of check(). Each rule is stated once and costs one comparison if it holds.
#pragma once

#include <fmt/format.h>

#include "ops/contract/contract.h"
#include "ops/contract/window.h"

namespace tputwin {

inline std::string describe(uint32_t value) { return fmt::format("{}", value); }
inline std::string describe(int32_t value) { return fmt::format("{}", value); }
std::string describe(const Axis& axis);
std::string describe(const MatrixView& matrix);

// Out of line, so that the passing path stays short.
template <class T>
[[gnu::cold, gnu::noinline]] Status violated(ErrorId rule, std::string_view argument,
                                             const T& value) {
  return Error(rule).argument(argument, describe(value));
}

// Returns an error with the argument and its value unless the rule holds.
template <class T>
Status require(bool holds, ErrorId rule, std::string_view argument, const T& value) {
  if (holds) [[likely]]
    return {};
  return violated(rule, argument, value);
}

inline Status check_shape(std::string_view name, const TensorView& view, const Shape& shape,
                          ErrorId rule) {
  return require(view.shape == shape, rule, name, view.shape);
}

inline uint64_t start_lane(const TensorView& view, const Chip& chip) {
  return view.address / chip.lane_bytes;
}

inline bool same_start_lane(const TensorView& a, const TensorView& b, const Chip& chip) {
  return start_lane(a, chip) == start_lane(b, chip);
}

}  // namespace tputwin
