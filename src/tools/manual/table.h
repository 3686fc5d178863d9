// A program's commands and options as its command line declares them: what its manual page, its
// completion and docs/commands.md are made of.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace tputwin::tools {

struct OptionEntry {
  std::vector<std::string> names;  // "-o", "--output"; of a positional one "MODEL"
  std::string value;               // "FILE"; empty: a flag
  std::vector<std::string> words;  // that the value may be; empty: anything
  std::string description;
  bool required = false, repeatable = false;
};

struct CommandEntry {
  std::string name, summary,
      footer;  // "tputwin kernel list"; examples and what else ends its --help
  std::vector<OptionEntry> positionals, options;
  std::vector<CommandEntry> commands;
};

CommandEntry command_table(const CLI::App& app);

// "tputwin compile [OPTIONS] --caffemodel TEXT MODEL"
std::string synopsis(const CommandEntry& command);
// "-o, --output TEXT"
std::string heading(const OptionEntry& option);

}  // namespace tputwin::tools
