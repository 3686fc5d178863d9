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

// Describes a rule that the value of a variable must keep. base/wrong_variables.h finds values that
// break it.
struct ValueRule {
  enum class Kind : uint8_t { text, words, list, number, bytes };
  Kind kind = Kind::text;
  // `words` are the allowed words, separated by commas. A value is one of them (Kind::words) or a
  // list of them (Kind::list). The words in `alone` are allowed, too, but not in a list.
  std::string_view words = {}, alone = {};
  uint64_t least = 0, most = 0;  // limits of a number, or of a number of bytes
  bool is_flag = false, in_any_case = false;
  // `level` is Level::error if a run without the variable would silently be different.
  Level level = Level::warning;
};

struct VariableInfo {
  std::string_view name, group;
  ValueRule rule;
  std::string_view values, otherwise, effect;
};
std::span<const VariableInfo> variables();

// Returns the name of the variable, terminated by a zero byte.
const char* name_of(EnvVariable variable);
// Returns the value of the variable, or an empty string if it is not set. Reads the environment at
// each call.
std::string_view value_of(EnvVariable variable);
// Returns true if the variable is set, and not to "" or "0".
bool is_on(EnvVariable variable);
// Returns the number that the variable holds, or nullopt if its value is not exactly one whole
// number.
std::optional<uint64_t> whole_number_in(EnvVariable variable);
// Returns the number of bytes that the variable holds: digits, then optionally K, M or G. Returns
// nullopt if its value has another form.
std::optional<uint64_t> bytes_in(EnvVariable variable);
// Returns the number above 0 that the variable holds, or 0 if it holds none.
uint64_t number_in(EnvVariable variable);

}  // namespace tputwin
