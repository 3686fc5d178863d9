// Parses parameters of host operators.
#include "host/parameters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/errors/bmrt.h"

namespace tputwin::host {
namespace {

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t end = text.find_first_of(separators);
    if (end != 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return parts;
}

template <class Number>
bool parse_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

Error wrong(std::string_view name, std::string_view key, std::string value, std::string rule) {
  return Error(errors::brt_host_parameter)
      .in(name)
      .argument(key, std::move(value))
      .detail(std::move(rule));
}

}  // namespace

Result<Parameters> Parameters::parse(std::string_view text) {
  Parameters result;
  for (std::string_view word : split(text, " \t\n")) {
    if (result.name_.empty()) {
      result.name_ = word;
      continue;
    }
    const size_t equals = word.find('=');
    if (equals == 0 || equals == std::string_view::npos)
      return wrong(result.name_, "parameter", std::string(word), "it is key=value");
    const std::string key(word.substr(0, equals));
    if (!result.values_.try_emplace(key, Value{std::string(word.substr(equals + 1))}).second)
      return wrong(result.name_, key, "twice", "a parameter is given once");
  }
  if (result.name_.empty()) return wrong("", "text", "no word", "it begins with a name");
  return result;
}

const std::string* Parameters::find(std::string_view key) {
  const auto found = values_.find(std::string(key));
  if (found == values_.end()) return nullptr;
  found->second.used = true;
  return &found->second.text;
}

void Parameters::fail(std::string_view key, std::string value, std::string rule) {
  if (status_.ok()) status_ = wrong(name_, key, std::move(value), std::move(rule));
}

int64_t Parameters::integer(std::string_view key, int64_t otherwise, int64_t least, int64_t most) {
  const std::string* text = find(key);
  int64_t value = otherwise;
  if (text != nullptr && !parse_number(*text, value)) {
    fail(key, *text, "it is an integer");
    return otherwise;
  }
  if (value >= least && value <= most) return value;
  fail(key, text != nullptr ? *text : "not given", fmt::format("it is {} to {}", least, most));
  return std::clamp(value, least, most);
}

float Parameters::number(std::string_view key, float otherwise, float least, float most) {
  const std::string* text = find(key);
  float value = otherwise;
  if (text != nullptr && (!parse_number(*text, value) || std::isnan(value))) {
    fail(key, *text, "it is a number");
    return otherwise;
  }
  if (value >= least && value <= most) return value;
  fail(key, text != nullptr ? *text : "not given", fmt::format("it is {} to {}", least, most));
  return std::clamp(value, least, most);
}

std::vector<float> Parameters::list(std::string_view key) {
  std::vector<float> numbers;
  const std::string* text = find(key);
  if (text == nullptr) return numbers;
  for (std::string_view part : split(*text, ",")) {
    float value = 0;
    if (!parse_number(part, value) || !std::isfinite(value))
      fail(key, *text, "it is numbers with commas");
    numbers.push_back(value);
  }
  if (numbers.empty()) fail(key, *text, "it is numbers with commas");
  return numbers;
}

std::vector<int64_t> Parameters::integers(std::string_view key) {
  std::vector<int64_t> result;
  for (const float value : list(key)) {
    const bool is_integer = std::fabs(value) < 0x1p24F && value == std::trunc(value);
    require(is_integer, key, "it is integers with commas");
    result.push_back(is_integer ? static_cast<int64_t>(value) : 0);
  }
  return result;
}

size_t Parameters::word(std::string_view key, std::initializer_list<std::string_view> words) {
  const std::string* text = find(key);
  if (text == nullptr) return 0;
  const auto found = std::find(words.begin(), words.end(), *text);
  if (found != words.end()) return static_cast<size_t>(found - words.begin());
  fail(key, *text, fmt::format("it is one of {}", fmt::join(words, ", ")));
  return 0;
}

std::string Parameters::text(std::string_view key) {
  const std::string* text = find(key);
  return text == nullptr ? std::string() : *text;
}

void Parameters::require(bool holds, std::string_view key, std::string_view rule) {
  if (holds) return;
  const std::string* text = find(key);
  fail(key, text != nullptr ? *text : "not given", std::string(rule));
}

Status Parameters::status() const {
  if (!status_.ok()) return status_.error();
  for (const auto& [key, value] : values_)
    if (!value.used) return wrong(name_, key, value.text, "the operator has no such parameter");
  return {};
}

}  // namespace tputwin::host
