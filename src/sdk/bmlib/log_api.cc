// The log of programs. bmlib itself writes no message to it: errors are values (tputwin/error.h).
#include <bmlib_runtime.h>

#include <atomic>
#include <cstdio>

namespace {

using LogCallback = void (*)(const char*, int, const char*, va_list);

void write_to_stdout(const char* tag, int, const char* format, va_list arguments) {
  std::printf("[%s] ", tag != nullptr ? tag : "bmlib");
  std::vprintf(format, arguments);
}

std::atomic<int> level_limit = BMLIB_LOG_INFO;
std::atomic<LogCallback> sink = write_to_stdout;

}  // namespace

int bmlib_log_get_level(void) { return level_limit; }

void bmlib_log_set_level(int level) { level_limit = level; }

void bmlib_log_set_callback(void (*callback)(const char*, int, const char*, va_list args)) {
  sink = callback != nullptr ? callback : write_to_stdout;
}

void bmlib_log(const char* tag, int level, const char* fmt, ...) {
  if (level > level_limit) return;
  va_list arguments;
  va_start(arguments, fmt);
  sink.load()(tag, level, fmt, arguments);
  va_end(arguments);
}
