// A line composed without the heap, in the format that TPUTWIN_LOG selects.
#include "sdk/okkernel/crash_line.h"

#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/errors/bmlib.h"
#include "base/log.h"
#include "sdk/okkernel/running_launch.h"

namespace tputwin::okk {
namespace {

class Line {
 public:
  Line& operator<<(std::string_view text) {
    for (const char c : text)
      if (size_ < sizeof bytes_) bytes_[size_++] = c;
    return *this;
  }
  // Appends a name of the program, without the characters that JSON would escape.
  Line& name(const char* text) {
    for (; *text != '\0'; ++text)
      if (const auto c = static_cast<unsigned char>(*text); c >= ' ' && c != '"' && c != '\\')
        *this << std::string_view(text, 1);
    return *this;
  }
  Line& number(uint64_t value, unsigned base = 10) {
    char digits[20];
    size_t at = sizeof digits;
    do digits[--at] = "0123456789abcdef"[value % base];
    while ((value /= base) != 0);
    return *this << std::string_view(digits + at, sizeof digits - at);
  }
  void print() const {
    for (size_t done = 0; done < size_;) {
      const ssize_t more = write(STDERR_FILENO, bytes_ + done, size_ - done);
      if (more <= 0) return;
      done += static_cast<size_t>(more);
    }
  }

 private:
  char bytes_[1024];
  size_t size_ = 0;
};

std::string_view name_of(int signal) {
  switch (signal) {
    case SIGSEGV:
      return "SIGSEGV";
    case SIGBUS:
      return "SIGBUS";
    case SIGFPE:
      return "SIGFPE";
    case SIGILL:
      return "SIGILL";
    case SIGTRAP:
      return "SIGTRAP";
    default:
      return "SIGABRT";
  }
}

void describe(Line& line, int signal, const siginfo_t& info, bool is_own) {
  line << name_of(signal);
  if (info.si_code > 0 && (signal == SIGSEGV || signal == SIGBUS))
    (line << ", address 0x").number(reinterpret_cast<uintptr_t>(info.si_addr), 16);
  if (info.si_code > 0 && signal == SIGFPE) line << ", as by a division by zero";
  line << (is_own ? ", in its own code" : ", in a function that it called");
}

}  // namespace

void write_crash_line(const LaunchLabel& label, int signal, const siginfo_t& info, bool is_own) {
  const LogLevel level = log_level_in_force();
  if (level == LogLevel::quiet) return;
  const ErrorInfo& error = error_info(errors::bml_crashed);
  Line line;
  if (level == LogLevel::json) {
    line << R"({"level":"error","id":")" << error.code << R"(","call":")" << label.kind << " ";
    line.name(label.name) << R"(","argument":"launch","value":")";
    line.number(label.number) << " of device ";
    line.number(static_cast<uint64_t>(label.device)) << R"(","rule":")" << error.rule;
    line << R"(","detail":")";
    describe(line, signal, info, is_own);
    line << R"(","reference":")" << error.reference << "\"}\n";
  } else {
    line << "tputwin: error: " << error.code << " " << label.kind << " ";
    line.name(label.name) << ": launch = ";
    line.number(label.number) << " of device ";
    line.number(static_cast<uint64_t>(label.device)) << ": " << error.rule << "; ";
    describe(line, signal, info, is_own);
    line << " [" << error.reference << "]\n";
  }
  line.print();
}

}  // namespace tputwin::okk
