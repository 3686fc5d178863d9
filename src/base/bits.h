// Small integer helpers used everywhere.
#pragma once

#include <cstdint>
#include <type_traits>

namespace tputwin {

template <class T>
constexpr T ceil_div(T value, std::type_identity_t<T> divisor) {
  return (value + divisor - 1) / divisor;
}

template <class T>
constexpr T align_up(T value, std::type_identity_t<T> quantum) {
  return ceil_div(value, quantum) * quantum;
}

}  // namespace tputwin
