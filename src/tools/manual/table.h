// A program's commands and options as its command line declares them. Its manual page, its
// completion and docs/commands.md are generated from them.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace tputwin::tools {

struct OptionEntry {
  std::vector<std::string> names;  // "-o", "--output"; "MODEL" if positional
  std::string value;               // "FILE"; empty: a flag
  std::vector<std::string> words;  // allowed values; empty: any
  std::string description;
  bool required = false, repeatable = false;
};

struct CommandEntry {
  std::string name, summary,
      // "tputwin kernel list"; the footer is examples and other text at the end of --help.
      footer;
  std::vector<OptionEntry> positionals, options;
  std::vector<CommandEntry> commands;
};

CommandEntry command_table(const CLI::App& app);

// Returns "tputwin compile [OPTIONS] --caffemodel TEXT MODEL".
std::string synopsis(const CommandEntry& command);
// Returns "-o, --output TEXT".
std::string heading(const OptionEntry& option);

}  // namespace tputwin::tools
