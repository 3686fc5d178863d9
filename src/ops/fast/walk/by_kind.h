// Code for each kind of an operation, written once.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace tputwin::fast {

// f of the kind as a constant of the compiler, std::integral_constant. `kLast` is the last
// enumerator; std::out_of_range, if there is one behind it.
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
