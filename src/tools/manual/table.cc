// Reads the tables of CLI11.
#include "tools/manual/table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tputwin::tools {
namespace {

// Returns the words of "TEXT:{int8,fp32}", the form of validators of names.
std::vector<std::string> words_of(const std::string& type) {
  const size_t from = type.find('{'), to = type.find('}');
  if (from == std::string::npos || to == std::string::npos) return {};
  return CLI::detail::split(type.substr(from + 1, to - from - 1), ',');
}

OptionEntry entry_of(const CLI::Option& option) {
  OptionEntry entry{.names = {}, .value = {}, .words = {}, .description = option.get_description()};
  for (const std::string& name : option.get_snames()) entry.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) entry.names.push_back("--" + name);
  if (entry.names.empty()) entry.names.push_back(option.get_name());
  const std::string type = option.get_type_name();
  if (option.get_items_expected_max() != 0) {
    entry.words = words_of(type);
    entry.value = entry.words.empty() ? type.substr(0, type.find(':'))
                                      : fmt::format("{}", fmt::join(entry.words, "|"));
    if (entry.value.empty()) entry.value = "VALUE";
  }
  entry.required = option.get_required();
  entry.repeatable = option.get_items_expected_max() > 1;
  return entry;
}

CommandEntry entry_of(const CLI::App& app, const std::string& before) {
  CommandEntry entry{.name = before.empty() ? app.get_name() : before + " " + app.get_name(),
                     .summary = app.get_description(),
                     .footer = app.get_footer()};
  for (const CLI::Option* option : app.get_options())
    (option->nonpositional() ? entry.options : entry.positionals).push_back(entry_of(*option));
  for (const CLI::App* sub : app.get_subcommands({})) {
    CommandEntry below = entry_of(*sub, sub->get_name().empty() ? before : entry.name);
    if (!sub->get_name().empty()) {
      entry.commands.push_back(std::move(below));
      continue;
    }
    // The options of an option group belong to its owner.
    entry.options.insert(entry.options.end(), below.options.begin(), below.options.end());
  }
  return entry;
}

}  // namespace

CommandEntry command_table(const CLI::App& app) { return entry_of(app, ""); }

std::string synopsis(const CommandEntry& command) {
  std::string text = command.name + " [OPTIONS]";
  for (const OptionEntry& option : command.options)
    if (option.required) text += fmt::format(" {} {}", option.names.back(), option.value);
  for (const OptionEntry& positional : command.positionals) {
    const std::string name = positional.names.front() + (positional.repeatable ? "..." : "");
    text += positional.required ? " " + name : " [" + name + "]";
  }
  if (!command.commands.empty()) text += " COMMAND ...";
  return text;
}

std::string heading(const OptionEntry& option) {
  const std::string names = fmt::format("{}", fmt::join(option.names, ", "));
  return option.value.empty() || !names.starts_with('-') ? names : names + " " + option.value;
}

}  // namespace tputwin::tools
