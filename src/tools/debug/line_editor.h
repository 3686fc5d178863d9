// Lines that a user types, with history and completion in a terminal.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tputwin::tools {

// Returns the completions of the last word of a line.
using Complete = std::function<std::vector<std::string>(const std::string& line)>;

class LineEditor {
 public:
  LineEditor(std::string prompt, Complete complete);
  bool is_terminal() const { return is_terminal_; }
  // Returns none at the end of the input.
  std::optional<std::string> read();

 private:
  std::string prompt_;
  bool is_terminal_;
};

}  // namespace tputwin::tools
