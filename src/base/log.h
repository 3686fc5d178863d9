// What a program that looks at no status still sees: one line on standard error for every error
// that a call reports, and one for each different warning (by rule and call).
#pragma once

#include <optional>
#include <string_view>

#include "base/error.h"

namespace tputwin {

// warnings: errors and warnings; json: the same, an object a line.
enum class LogLevel { quiet, errors, warnings, json };

// By the names above; nothing for any other.
std::optional<LogLevel> log_level(std::string_view name);

// For programs that show errors themselves: the level where TPUTWIN_LOG does not name one, which is
// `warnings` unless a program says otherwise. An unknown name counts as `warnings`, and is said
// once.
void set_default_log_level(LogLevel level);

// TPUTWIN_LOG, or that level.
LogLevel log_level_in_force();

// Writes the line that the level in force asks for. `booked`: as what the error was booked; in
// strict mode a warning is an error. A line that came several times is not written again.
void log(const Error& error, Level booked);

}  // namespace tputwin
