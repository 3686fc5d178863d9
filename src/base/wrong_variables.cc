// Compares the environment with the rules of the table.
#include "base/wrong_variables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>

#include "base/errors/base.h"
#include "base/log.h"
#include "base/variables.h"

namespace tputwin {
namespace {

// Calls `visit` with each word of a list with commas between them, until it returns false. A comma
// at the end adds no word.
template <class Visit>
bool all_words(std::string_view list, Visit visit) {
  while (!list.empty()) {
    const std::string_view word = list.substr(0, list.find(','));
    if (!visit(word)) return false;
    list.remove_prefix(std::min(list.size(), word.size() + 1));
  }
  return true;
}

bool is_among(std::string_view word, std::string_view list) {
  return !all_words(list, [&](std::string_view known) { return known != word; });
}

std::string upper(std::string_view value) {
  std::string text(value);
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

bool is_within(const ValueRule& rule, std::optional<uint64_t> number) {
  return number && rule.least <= *number && *number <= rule.most;
}

bool holds(const ValueRule& rule, EnvVariable variable, std::string_view value) {
  switch (rule.kind) {
    case ValueRule::Kind::text:
      return true;
    case ValueRule::Kind::words:
      return is_among(rule.in_any_case ? upper(value) : std::string(value), rule.words);
    case ValueRule::Kind::list:
      return is_among(value, rule.alone) ||
             all_words(value, [&](std::string_view word) { return is_among(word, rule.words); });
    case ValueRule::Kind::number:
      return is_within(rule, whole_number_in(variable));
    case ValueRule::Kind::bytes:
      return is_within(rule, bytes_in(variable));
  }
  return true;
}

// Returns the values that docs/environment.md lists, without the marks of Markdown.
std::string plain(std::string_view values) {
  std::string text(values);
  std::erase(text, '`');
  return text;
}

// Returns for example "it takes chip; correct it, or unset it; it counts as not set".
std::string advice(const VariableInfo& variable) {
  const ValueRule& rule = variable.rule;
  std::string text = "it takes " + plain(variable.values);
  if (rule.kind == ValueRule::Kind::list || (rule.kind == ValueRule::Kind::words && rule.is_flag)) {
    std::string words;
    all_words(rule.words, [&](std::string_view word) {
      words += fmt::format("{}{}", words.empty() ? "" : ", ", word);
      return true;
    });
    text += " (" + words + ")";
  }
  text += "; correct it, or unset it";
  if (rule.level == Level::warning)
    text += rule.is_flag ? "; it counts as set" : "; it counts as not set";
  return text;
}

}  // namespace

std::vector<Error> wrong_variables() {
  std::vector<Error> wrong;
  for (size_t i = 0; i < variables().size(); ++i) {
    const VariableInfo& variable = variables()[i];
    const auto id = static_cast<EnvVariable>(i);
    const std::string_view value = value_of(id);
    if (value.empty() || holds(variable.rule, id, value)) continue;
    const bool is_warning = variable.rule.level == Level::warning;
    wrong.push_back(Error(is_warning ? errors::sys_variable_ignored : errors::sys_variable)
                        .in(variable.name)
                        .argument("value", fmt::format("\"{}\"", value))
                        .detail(advice(variable)));
  }
  return wrong;
}

Status check_variables() {
  static_cast<void>(log_level_in_force());  // reports its own variable
  Status first;
  for (Error& wrong : wrong_variables()) {
    if (wrong.info().level == Level::warning)
      log(wrong, Level::warning);
    else if (first.ok())
      first = std::move(wrong);
  }
  return first;
}

}  // namespace tputwin
