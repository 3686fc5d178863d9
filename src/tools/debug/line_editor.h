// Lines that a person types: with history and completion in a terminal, else as they come.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tputwin::tools {

// The words that the last word of a line may become.
using Complete = std::function<std::vector<std::string>(const std::string& line)>;

class LineEditor {
 public:
  LineEditor(std::string prompt, Complete complete);
  bool is_terminal() const { return is_terminal_; }
  // None at the end of the input.
  std::optional<std::string> read();

 private:
  std::string prompt_;
  bool is_terminal_;
};

}  // namespace tputwin::tools
