// Comparison of names of customized layers and instructions, which ignores case: programs name a
// layer "ELU" and its instruction "tg_elu".
#pragma once

#include <algorithm>
#include <cctype>
#include <string_view>

namespace tputwin::net {

inline bool same_in_any_case(std::string_view a, std::string_view b) {
  auto small = [](unsigned char c) { return std::tolower(c); };
  return std::ranges::equal(a, b, {}, small, small);
}

// Returns the entry with exactly this key, or else an entry whose key differs only in case.
template <class Map>
auto find_any_case(Map& map, std::string_view key) {
  auto found = map.find(key);
  if (found != map.end()) return found;
  return std::ranges::find_if(
      map, [key](const auto& entry) { return same_in_any_case(entry.first, key); });
}

}  // namespace tputwin::net
