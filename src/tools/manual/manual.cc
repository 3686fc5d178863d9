// Pages for man, and JSON for programs, from which docs/commands.md is generated.
#include "tools/manual/manual.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tools/exit_code.h"
#include "tools/manual/version.h"

namespace tputwin::tools {
namespace {

// Quotes for roff: a line that starts with a dot is a request, hyphens are minus signs, and a
// backslash escapes.
std::string roff(std::string_view text) {
  std::string escaped;
  bool begins = true;
  for (const char c : text) {
    if (begins && (c == '.' || c == '\'')) escaped += "\\&";
    begins = c == '\n';
    if (c == '\\')
      escaped += "\\e";
    else if (c == '-')
      escaped += "\\-";
    else
      escaped += c;
  }
  return escaped;
}

std::string roff_options(const CommandEntry& command) {
  std::string text;
  for (const auto* list : {&command.positionals, &command.options})
    for (const OptionEntry& option : *list)
      text += fmt::format(".TP\n.B {}\n{}\n", roff(heading(option)), roff(option.description));
  return text;
}

std::string roff_footer(const CommandEntry& command) {
  return command.footer.empty() ? "" : fmt::format(".PP\n.nf\n{}\n.fi\n", roff(command.footer));
}

std::string roff_commands(const CommandEntry& command) {
  std::string text;
  for (const CommandEntry& sub : command.commands) {
    text += fmt::format(".SS {}\n{}.\n.PP\n.B {}\n", roff(sub.name), roff(sub.summary),
                        roff(synopsis(sub)));
    text += roff_options(sub) + (sub.commands.empty() ? roff_footer(sub) : roff_commands(sub));
  }
  return text;
}

nlohmann::ordered_json json_of(const OptionEntry& option) {
  return {{"names", option.names},       {"value", option.value},
          {"words", option.words},       {"description", option.description},
          {"required", option.required}, {"repeatable", option.repeatable}};
}

nlohmann::ordered_json json_of(const CommandEntry& command) {
  nlohmann::ordered_json json{
      {"name", command.name}, {"summary", command.summary}, {"help", command.footer}};
  for (const auto& [name, list] :
       {std::pair{"positionals", &command.positionals}, std::pair{"options", &command.options}}) {
    json[name] = nlohmann::ordered_json::array();
    for (const OptionEntry& option : *list) json[name].push_back(json_of(option));
  }
  json["commands"] = nlohmann::ordered_json::array();
  for (const CommandEntry& sub : command.commands) json["commands"].push_back(json_of(sub));
  return json;
}

}  // namespace

std::string to_man(const CommandEntry& program, std::string_view version) {
  std::string text = fmt::format(
      ".TH \"{}\" 1 \"\" \"tputwin {}\" \"tputwin\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n.B {}\n",
      roff(program.name), version, roff(program.name), roff(program.summary),
      roff(synopsis(program)));
  text += ".SH OPTIONS\n" + roff_options(program);
  if (!program.commands.empty()) text += ".SH COMMANDS\n" + roff_commands(program);
  text += ".SH EXAMPLES AND EXIT CODES\n" + roff_footer(program);
  return text;
}

std::string to_json(const CommandEntry& program) {
  nlohmann::ordered_json json = json_of(program);
  json["exit_codes"] = nlohmann::ordered_json::array();
  if (program.footer.find(kExitCodes) != std::string::npos)
    for (const ExitMeaning& row : kExitMeanings)
      json["exit_codes"].push_back({{"code", row.code}, {"meaning", row.meaning}});
  return json.dump(2) + "\n";
}

std::optional<std::string> help_as(const CLI::App& app, std::string_view format) {
  const CommandEntry program = command_table(app);
  if (format == "man") return to_man(program, version());
  if (format == "json") return to_json(program);
  if (format == "bash") return to_bash(program);
  if (format == "zsh") return to_zsh(program);
  return std::nullopt;
}

}  // namespace tputwin::tools
