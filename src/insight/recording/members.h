// Visits the members of an aggregate in the order of their declarations, without a list of them.
#pragma once

#include <cstddef>
#include <utility>

namespace tputwin::insight::recording {

// Converts to any type. The number of members of T is the largest number of AnyMember that
// initialize a T.
struct AnyMember {
  template <class T>
  operator T() const;
};

template <class T, class... Members>
constexpr size_t member_count() {
  if constexpr (requires { T{std::declval<Members>()..., AnyMember()}; })
    return member_count<T, Members..., AnyMember>();
  else
    return sizeof...(Members);
}

// Calls f with all members. Types with more members need a further row.
template <class T, class F>
void with_members(T& value, F&& f) {
  constexpr size_t kCount = member_count<T>();
#define TW_MEMBERS(count, ...)       \
  if constexpr (kCount == (count)) { \
    auto& [__VA_ARGS__] = value;     \
    f(__VA_ARGS__);                  \
  }
  static_assert(kCount > 0 && kCount <= 16);
  TW_MEMBERS(1, a)
  TW_MEMBERS(2, a, b)
  TW_MEMBERS(3, a, b, c)
  TW_MEMBERS(4, a, b, c, d)
  TW_MEMBERS(5, a, b, c, d, e)
  TW_MEMBERS(6, a, b, c, d, e, g)
  TW_MEMBERS(7, a, b, c, d, e, g, h)
  TW_MEMBERS(8, a, b, c, d, e, g, h, i)
  TW_MEMBERS(9, a, b, c, d, e, g, h, i, j)
  TW_MEMBERS(10, a, b, c, d, e, g, h, i, j, k)
  TW_MEMBERS(11, a, b, c, d, e, g, h, i, j, k, l)
  TW_MEMBERS(12, a, b, c, d, e, g, h, i, j, k, l, m)
  TW_MEMBERS(13, a, b, c, d, e, g, h, i, j, k, l, m, n)
  TW_MEMBERS(14, a, b, c, d, e, g, h, i, j, k, l, m, n, o)
  TW_MEMBERS(15, a, b, c, d, e, g, h, i, j, k, l, m, n, o, p)
  TW_MEMBERS(16, a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q)
#undef TW_MEMBERS
}

}  // namespace tputwin::insight::recording
