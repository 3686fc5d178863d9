// Names of parameterized tests.
#pragma once

#include <cctype>
#include <string>
#include <string_view>

namespace tputwin::testing {

// Returns the text with an underscore instead of each run of characters that a test's name cannot
// have.
inline std::string parameter_name(std::string_view text) {
  std::string name;
  for (const char c : text) {
    const bool is_word = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (is_word || (!name.empty() && name.back() != '_')) name += is_word ? c : '_';
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  return name;
}

}  // namespace tputwin::testing
