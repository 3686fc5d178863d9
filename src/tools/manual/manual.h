// The help of a program in other forms, made of its table of commands.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tools/manual/table.h"

namespace tputwin::tools {

// Its page of section 1, for man.
std::string to_man(const CommandEntry& program, std::string_view version);
// The table as it is, with the exit codes.
std::string to_json(const CommandEntry& program);

// Scripts that complete its commands, options and their words; anything else is a file.
std::string to_bash(const CommandEntry& program);
std::string to_zsh(const CommandEntry& program);

// What `PROGRAM --help-as FORMAT` prints; nothing for a format that does not exist.
std::optional<std::string> help_as(const CLI::App& app, std::string_view format);

}  // namespace tputwin::tools
