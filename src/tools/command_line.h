// Shared parts of the tools' command lines: options that are chosen by name, and errors of usage.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"

namespace tputwin::tools {

// Returns "none, group or weight".
std::string listed(const std::vector<std::string>& names);
// Returns "{none,group,weight}": the values of an option in --help and completion.
std::string choices(const std::vector<std::string>& names);

// For ->transform() of an option whose value is an enumerator, given by its name in any case or by
// its number.
template <class Value>
CLI::Validator one_of(const std::vector<std::pair<std::string, Value>>& choices) {
  std::vector<std::string> names, numbers;
  for (const auto& [name, value] : choices) {
    names.push_back(name);
    numbers.push_back(std::to_string(static_cast<int>(value)));
  }
  auto choose = [names, numbers](std::string& text) -> std::string {
    const std::string wanted = CLI::detail::to_lower(text);
    const auto name = std::find(names.begin(), names.end(), wanted);
    if (name != names.end()) text = numbers[static_cast<size_t>(name - names.begin())];
    if (name != names.end() || std::find(numbers.begin(), numbers.end(), text) != numbers.end())
      return {};
    return "\"" + text + "\" is not known; expected " + listed(names);
  };
  return CLI::Validator(choose, tools::choices(names));
}

// For ->check() of an option whose value is one of these words.
CLI::Validator one_of_names(std::vector<std::string> names);
// For ->check() of an option that is a count.
CLI::Validator at_least_one();
// For ->check() of an option that is a number from `low` to `high`. CLI::Range accepts NaN.
CLI::Validator between(double low, double high);
// For ->check() of an option that is a name.
CLI::Validator not_empty();
// Returns the validator of a number of threads, from 1 to kMostThreads.
CLI::Validator threads();

// Adds --allow-native-plugins, which sets the variable of base/native_plugins.h for the process.
void add_native_plugins(CLI::App& app);
// Adds --output-names, the tensors at which an ONNX net ends.
void add_output_names(CLI::App& app, std::vector<std::string>& names);

// Parses the command line. Returns nothing if the program may go on, else its exit code. --help and
// --version print their text; other failures are the error TW-CLI-0011 with `usage_code`.
std::optional<int> parse(CLI::App& app, int argc, char** argv, int usage_code);
// Returns the error of a command line, in the command that its arguments chose.
Error usage_error(const CLI::App& app, const std::string& problem);
// Prints an error that a program finds after parsing; returns `usage_code`.
int bad_usage(const CLI::App& app, const std::string& problem, int usage_code);

}  // namespace tputwin::tools
