// Environment of programs that a tool starts: variables, and the destination of their output.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace tputwin::tools {

// Sets a variable for the lifetime of the object. An empty value leaves it unchanged.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(value.empty() ? nullptr : name) {
    if (name_ != nullptr) setenv(name_, value.c_str(), /*overwrite=*/1);
  }
  ~Variable() {
    if (name_ != nullptr) unsetenv(name_);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

// While it exists, output of programs goes to standard error: standard output is for a report.
class OutputAside {
 public:
  explicit OutputAside(bool wanted) {
    if (!wanted) return;
    std::fflush(stdout);
    kept_ = dup(STDOUT_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
  }
  ~OutputAside() {
    if (kept_ < 0) return;
    std::fflush(stdout);
    dup2(kept_, STDOUT_FILENO);
    close(kept_);
  }
  OutputAside(const OutputAside&) = delete;
  OutputAside& operator=(const OutputAside&) = delete;

 private:
  int kept_ = -1;
};

}  // namespace tputwin::tools
