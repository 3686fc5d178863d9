// The environment variables of the library.
#include "base/variables.h"

#include <cerrno>
#include <charconv>
#include <cstdlib>

namespace tputwin {
namespace {

using Kind = ValueRule::Kind;

constexpr ValueRule text() { return {}; }
constexpr ValueRule words(std::string_view words) { return {.kind = Kind::words, .words = words}; }
constexpr ValueRule words_in_any_case(std::string_view words) {
  return {.kind = Kind::words, .words = words, .in_any_case = true};
}
constexpr ValueRule bytes(uint64_t least, uint64_t most) {
  return {.kind = Kind::bytes, .least = least, .most = most};
}
constexpr ValueRule list(std::string_view words, std::string_view alone = {}) {
  return {.kind = Kind::list, .words = words, .alone = alone};
}
constexpr ValueRule number(uint64_t least, uint64_t most) {
  return {.kind = Kind::number, .least = least, .most = most};
}
constexpr ValueRule flag(std::string_view words = "0,1,on,yes,true") {
  return {.kind = Kind::words, .words = words, .is_flag = true};
}
constexpr ValueRule must(ValueRule rule) {
  rule.level = Level::error;
  return rule;
}

constexpr VariableInfo kVariables[] = {
#define TW_VARIABLE(symbol, name, group, rule, values, otherwise, effect) \
  {name, group, rule, values, otherwise, effect},
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

std::optional<uint64_t> whole_number_in(EnvVariable variable) {
  const char* value = std::getenv(name_of(variable));
  if (value == nullptr || *value < '0' || *value > '9') return {};
  errno = 0;
  char* end = nullptr;
  const uint64_t number = std::strtoull(value, &end, 0);
  if (errno != 0 || *end != 0) return {};
  return number;
}

std::optional<uint64_t> bytes_in(EnvVariable variable) {
  const std::string_view value = value_of(variable);
  const char* const end = value.data() + value.size();
  uint64_t number = 0;
  const auto [rest, failed] = std::from_chars(value.data(), end, number);
  const std::string_view unit(rest, static_cast<size_t>(end - rest));
  const int shift = unit == "K" ? 10 : unit == "M" ? 20 : unit == "G" ? 30 : unit.empty() ? 0 : -1;
  if (failed != std::errc() || shift < 0 || number > UINT64_MAX >> shift) return {};
  return number << shift;
}

uint64_t number_in(EnvVariable variable) { return whole_number_in(variable).value_or(0); }

}  // namespace tputwin
