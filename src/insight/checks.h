// The set of checks that are enabled.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/error.h"

namespace tputwin::insight {

enum class Check : uint8_t {
#define TW_CHECK(name, in_all, text) name,
#include "insight/checks.def"
#undef TW_CHECK
};

struct CheckInfo {
  std::string_view name, text;
  bool in_all;  // its findings are mistakes
};
std::span<const CheckInfo> check_catalogue();
inline std::string_view to_string(Check check) {
  return check_catalogue()[static_cast<size_t>(check)].name;
}

class Checks {
 public:
  constexpr bool on(Check check) const { return (bits_ >> static_cast<unsigned>(check) & 1) != 0; }
  constexpr void add(Check check) { bits_ |= 1u << static_cast<unsigned>(check); }
  constexpr bool empty() const { return bits_ == 0; }

 private:
  uint32_t bits_ = 0;
};

// Parses names of checks with commas between them, or "all", which does not include hints.
Result<Checks> parse_checks(std::string_view text);

}  // namespace tputwin::insight
