// The environment variables of the library.
#include "base/variables.h"

#include <cerrno>
#include <cstdlib>

namespace tputwin {
namespace {

constexpr VariableInfo kVariables[] = {
#define TW_VARIABLE(symbol, name, group, values, otherwise, effect) \
  {name, group, values, otherwise, effect},
#include "base/variables.def"
#undef TW_VARIABLE
};

}  // namespace

std::span<const VariableInfo> variables() { return kVariables; }

const char* name_of(EnvVariable variable) {
  return kVariables[static_cast<size_t>(variable)].name.data();  // a literal
}

std::string_view value_of(EnvVariable variable) {
  const char* value = std::getenv(name_of(variable));
  return value != nullptr ? value : "";
}

bool is_on(EnvVariable variable) {
  const std::string_view value = value_of(variable);
  return !value.empty() && value != "0";
}

uint64_t number_in(EnvVariable variable) {
  const char* value = std::getenv(name_of(variable));
  if (value == nullptr || *value == '-') return 0;
  errno = 0;
  const uint64_t number = std::strtoull(value, nullptr, 0);
  return errno == 0 ? number : 0;
}

}  // namespace tputwin
