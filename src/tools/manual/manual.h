// The help of a program in other formats, generated from its table of commands.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tools/manual/table.h"

namespace tputwin::tools {

// Returns its page of section 1, for man.
std::string to_man(const CommandEntry& program, std::string_view version);
// Returns the table with the exit codes.
std::string to_json(const CommandEntry& program);

// Return scripts that complete its commands, options and their values; other words are files.
std::string to_bash(const CommandEntry& program);
std::string to_zsh(const CommandEntry& program);

// Returns the text of `PROGRAM --help-as FORMAT`; nothing for an unknown format.
std::optional<std::string> help_as(const CLI::App& app, std::string_view format);

}  // namespace tputwin::tools
