// Variables of the environment that programs which a tool starts are given.
#pragma once

#include <cstdlib>
#include <string>

namespace tputwin::tools {

// A variable, for as long as it lives. Empty: as it was.
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

}  // namespace tputwin::tools
