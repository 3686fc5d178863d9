// Completion for shells.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tools/manual/manual.h"

namespace tputwin::tools {
namespace {

// Appends every command of the tree, the program first.
void flatten(const CommandEntry& command, std::vector<const CommandEntry*>& all) {
  all.push_back(&command);
  for (const CommandEntry& sub : command.commands) flatten(sub, all);
}

std::string last_word(const std::string& name) { return name.substr(name.rfind(' ') + 1); }

// Returns a name that is valid for shell functions.
std::string function_name(std::string name) {
  std::ranges::replace_if(
      name, [](char c) { return c == '.' || c == ' ' || c == '-'; }, '_');
  return name;
}

std::string words_of(const CommandEntry& command) {
  std::vector<std::string> words;
  for (const OptionEntry& option : command.options)
    words.insert(words.end(), option.names.begin(), option.names.end());
  for (const CommandEntry& sub : command.commands) words.push_back(last_word(sub.name));
  return fmt::format("{}", fmt::join(words, " "));
}

std::string bash_command(const CommandEntry& command) {
  std::string cases;
  for (const OptionEntry& option : command.options) {
    if (option.value.empty()) continue;
    cases +=
        fmt::format("        {}) {}; return ;;\n", fmt::join(option.names, " | "),
                    option.words.empty() ? "_filedir"
                                         : fmt::format("COMPREPLY=($(compgen -W '{}' -- \"$cur\"))",
                                                       fmt::join(option.words, " ")));
  }
  const bool takes_file = !command.positionals.empty() && command.positionals.back().words.empty();
  if (!cases.empty()) cases = "      case $prev in\n" + cases + "      esac\n";
  return fmt::format("    '{}')\n{}      words='{}'{}\n      ;;\n", command.name, cases,
                     words_of(command),
                     takes_file ? "\n      [[ $cur == -* ]] || { _filedir; return; }" : "");
}

// Quotes for _arguments, which interprets brackets and colons.
std::string zsh_quoted(const std::string& text) {
  std::string quoted;
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
      continue;
    }
    if (c == '[' || c == ']' || c == ':' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted;
}

std::string zsh_action(const OptionEntry& option) {
  return option.words.empty() ? "_files" : fmt::format("({})", fmt::join(option.words, " "));
}

std::string zsh_command(const CommandEntry& command) {
  std::string text = fmt::format("_{}() {{\n", function_name(command.name));
  if (!command.commands.empty())
    text += "  local context state state_descr line\n  typeset -A opt_args\n";
  text += "  _arguments -S";
  for (const OptionEntry& option : command.options)
    for (const std::string& name : option.names)
      text += fmt::format(" \\\n    '{}{}[{}]{}'", option.repeatable ? "*" : "", name,
                          zsh_quoted(option.description),
                          option.value.empty() ? "" : fmt::format(":value:{}", zsh_action(option)));
  for (const OptionEntry& positional : command.positionals)
    text += fmt::format(" \\\n    '{}:{}:{}'", positional.repeatable ? "*" : "",
                        zsh_quoted(positional.names.front()), zsh_action(positional));
  if (command.commands.empty()) return text + "\n}\n";
  text +=
      " \\\n    '1: :->command' '*:: :->arguments'\n  case $state in\n    command)\n      local -a "
      "commands=(\n";
  for (const CommandEntry& sub : command.commands)
    text += fmt::format("        '{}:{}'\n", last_word(sub.name), zsh_quoted(sub.summary));
  text += "      )\n      _describe command commands ;;\n    arguments)\n      case $line[1] in\n";
  for (const CommandEntry& sub : command.commands)
    text += fmt::format("        {}) _{} ;;\n", last_word(sub.name), function_name(sub.name));
  return text + "      esac ;;\n  esac\n}\n";
}

}  // namespace

std::string to_bash(const CommandEntry& program) {
  std::vector<const CommandEntry*> all;
  flatten(program, all);
  std::string names, cases;
  for (const CommandEntry* command : all) {
    names += fmt::format(" '{}'", command->name);
    cases += bash_command(*command);
  }
  return fmt::format(
      "# bash completion for {0}, made by `{0} --help-as bash`\n"
      "_{1}() {{\n"
      "  local cur prev words word command='{0}' known=({2})\n"
      "  cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}}\n"
      "  for word in \"${{COMP_WORDS[@]:1:COMP_CWORD-1}}\"; do\n"
      "    for name in \"${{known[@]}}\"; do [[ $name == \"$command $word\" ]] && command=$name && "
      "break; done\n"
      "  done\n"
      "  declare -F _filedir > /dev/null || _filedir() {{ COMPREPLY=($(compgen -f -- \"$cur\")); "
      "}}\n"
      "  case $command in\n{3}  esac\n"
      "  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
      "}}\ncomplete -o filenames -F _{1} {0}\n",
      program.name, function_name(program.name), names, cases);
}

std::string to_zsh(const CommandEntry& program) {
  std::vector<const CommandEntry*> all;
  flatten(program, all);
  std::string text = fmt::format(
      "#compdef {0}\n# zsh completion for {0}, made by `{0} --help-as zsh`\n", program.name);
  for (const CommandEntry* command : all) text += zsh_command(*command);
  return text + fmt::format("_{} \"$@\"\n", function_name(program.name));
}

}  // namespace tputwin::tools
