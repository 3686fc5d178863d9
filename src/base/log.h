// Prints errors even for programs that check no status: one line on standard error for each error
// that a call reports, and one for each different warning (by rule and call).
#pragma once

#include <optional>
#include <string_view>

#include "base/error.h"

namespace tputwin {

// `quiet` prints nothing, and `errors` prints errors only. `warnings` prints errors and warnings as
// text, `json` prints them as one object per line.
enum class LogLevel { quiet, errors, warnings, json };

// Returns the level of one of the names above; nullopt for other names.
std::optional<LogLevel> log_level(std::string_view name);

// Sets the level that applies if TPUTWIN_LOG is not set. Programs that print errors themselves call
// it. Without a call, that level is `warnings`. An unknown name in TPUTWIN_LOG counts as
// `warnings`, and is reported once.
void set_default_log_level(LogLevel level);

// Returns the level of TPUTWIN_LOG, or else the default level.
LogLevel log_level_in_force();

// Writes the line of an error, if the level in force includes it. `booked` is the level under which
// the error was recorded; in strict mode a warning is an error. Repeated lines are suppressed.
void log(const Error& error, Level booked);

}  // namespace tputwin
