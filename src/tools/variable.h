// Variables of the environment that a program is started with.
#pragma once

#include <cstdlib>
#include <string>

namespace tputwin::tools {

// Set for as long as this lives. Empty: as it was.
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
