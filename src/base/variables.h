// The environment variables of the library: one table (variables.def), by which the values are
// read and docs/environment.md is written.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace tputwin {

enum class EnvVariable : uint8_t {
#define TW_VARIABLE(symbol, name, group, values, otherwise, effect) symbol,
#include "base/variables.def"
#undef TW_VARIABLE
};

struct VariableInfo {
  std::string_view name, group, values, otherwise, effect;
};
std::span<const VariableInfo> variables();

// Name of the variable, with a zero at its end.
const char* name_of(EnvVariable variable);
// Value of the variable. Empty if it is not set. It is read at each call.
std::string_view value_of(EnvVariable variable);
// Returns true if the variable is set, and not to "" or "0".
bool is_on(EnvVariable variable);
// Number above 0 that the variable holds, or 0.
uint64_t number_in(EnvVariable variable);

}  // namespace tputwin
