// The environment variables of the library: one table (variables.def), by which the values are
// read and docs/environment.md is written.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/error.h"

namespace tputwin {

enum class EnvVariable : uint8_t {
#define TW_VARIABLE(symbol, name, group, rule, values, otherwise, effect) symbol,
#include "base/variables.def"
#undef TW_VARIABLE
};

// A rule that the value of a variable must keep. base/wrong_variables.h finds those that do not.
struct ValueRule {
  enum class Kind : uint8_t { text, words, list, number, bytes };
  Kind kind = Kind::text;
  // Words with commas between them: one of these, or a list of them; `alone` may not be in a list.
  std::string_view words = {}, alone = {};
  uint64_t least = 0, most = 0;  // of a number, or of bytes
  bool is_flag = false, in_any_case = false;
  // Level::error for a variable without which a run would silently be different.
  Level level = Level::warning;
};

struct VariableInfo {
  std::string_view name, group;
  ValueRule rule;
  std::string_view values, otherwise, effect;
};
std::span<const VariableInfo> variables();

// Name of the variable, with a zero at its end.
const char* name_of(EnvVariable variable);
// Value of the variable. Empty if it is not set. It is read at each call.
std::string_view value_of(EnvVariable variable);
// Returns true if the variable is set, and not to "" or "0".
bool is_on(EnvVariable variable);
// Number that the variable holds. Nothing if its value is not a number, or has more than that.
std::optional<uint64_t> whole_number_in(EnvVariable variable);
// Number of bytes that the variable holds: digits, then optionally K, M or G. Nothing if its value
// is none.
std::optional<uint64_t> bytes_in(EnvVariable variable);
// Number above 0 that the variable holds, or 0.
uint64_t number_in(EnvVariable variable);

}  // namespace tputwin
