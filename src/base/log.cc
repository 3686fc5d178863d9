// Prints an error or a warning as one line on standard error.
#include "base/log.h"

#include <fmt/format.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>

#include "base/variables.h"

namespace tputwin {
namespace {

// kTimesTheSame limits repetitions, because a loop around a failing call would fill the terminal.
constexpr int kTimesTheSame = 3;
// kLinesKnown is the largest number of different lines that are counted. Beyond it, all counts
// restart.
constexpr size_t kLinesKnown = 10'000;

std::atomic<LogLevel> default_level{LogLevel::warnings};

std::string text_line(const Error& error, Level booked) {
  return fmt::format("tputwin: {}: {}", booked == Level::error ? "error" : "warning",
                     error.message());
}

std::string json_line(const Error& error, Level booked) {
  nlohmann::ordered_json line{{"level", booked == Level::error ? "error" : "warning"},
                              {"id", error.code()},
                              {"call", error.call()},
                              {"argument", error.argument()},
                              {"value", error.value()},
                              {"rule", error.info().rule},
                              {"detail", error.detail()},
                              {"reference", error.reference()}};
  // Strings of a program may contain bytes that are not UTF-8.
  return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// State of a line: not printed again, printed a last time, or printed normally.
enum class Repetition { silent, last, more };

Repetition repetition_of(const Error& error, Level booked) {
  static std::mutex mutex;
  static std::map<std::string, int> lines;
  std::lock_guard lock(mutex);
  const bool is_warning = booked == Level::warning;
  const std::string key =
      is_warning ? fmt::format("{} {}", error.code(), error.call()) : error.message();
  if (lines.size() >= kLinesKnown) lines.clear();
  const int count = ++lines[key];
  if (is_warning) return count == 1 ? Repetition::more : Repetition::silent;
  if (count > kTimesTheSame) return Repetition::silent;
  return count == kTimesTheSame ? Repetition::last : Repetition::more;
}

}  // namespace

LogLevel log_level_in_force() {
  const std::string_view name = value_of(EnvVariable::log);
  if (name.empty()) return default_level.load(std::memory_order_relaxed);
  if (const auto level = log_level(name)) return *level;
  static std::once_flag said;
  std::call_once(said, [name] {
    fmt::print(stderr,
               "tputwin: warning: TPUTWIN_LOG = \"{}\": expected quiet, errors, warnings or json\n",
               name);
  });
  return LogLevel::warnings;
}

std::optional<LogLevel> log_level(std::string_view name) {
  if (name == "quiet") return LogLevel::quiet;
  if (name == "errors") return LogLevel::errors;
  if (name == "warnings") return LogLevel::warnings;
  if (name == "json") return LogLevel::json;
  return {};
}

void set_default_log_level(LogLevel level) { default_level = level; }

void log(const Error& error, Level booked) {
  const LogLevel level = log_level_in_force();
  if (level == LogLevel::quiet || (level == LogLevel::errors && booked == Level::warning)) return;
  const Repetition repetition = repetition_of(error, booked);
  if (repetition == Repetition::silent) return;
  std::string line = level == LogLevel::json ? json_line(error, booked) : text_line(error, booked);
  if (repetition == Repetition::last && level != LogLevel::json)
    line += fmt::format(" (the same {} times; not said again)", kTimesTheSame);
  line += '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);  // one call, so lines of threads stay whole
}

}  // namespace tputwin
