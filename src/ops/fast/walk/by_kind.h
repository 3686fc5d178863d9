// Instantiates code once for each kind of an operation.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace tputwin::fast {

// Calls f with the kind as a compile-time constant (std::integral_constant). `kLast` is the last
// enumerator. Throws std::out_of_range for a kind after it.
template <auto kLast, class F>
inline void by_kind(decltype(kLast) kind, const F& f) {
  using Kind = decltype(kLast);
  [&]<size_t... I>(std::index_sequence<I...>) {
    static constexpr std::array<void (*)(const F&), sizeof...(I)> kCalls = {
        [](const F& call) { call(std::integral_constant<Kind, static_cast<Kind>(I)>()); }...};
    kCalls.at(static_cast<size_t>(kind))(f);
  }
  (std::make_index_sequence<static_cast<size_t>(kLast) + 1>());
}

}  // namespace tputwin::fast
