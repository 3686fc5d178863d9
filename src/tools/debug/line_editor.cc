// Lines by libedit, if it is installed.
#include "tools/debug/line_editor.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>

#ifdef TPUTWIN_LIBEDIT
#include <editline/readline.h>
#endif

namespace tputwin::tools {

#ifdef TPUTWIN_LIBEDIT
namespace {

Complete& completer() {
  static Complete instance;
  return instance;
}

// Interface of libedit: returns one word per call, each allocated.
char* next_word(const char*, int state) {
  static std::vector<std::string> words;
  static size_t next = 0;
  if (state == 0) {
    words = completer()(std::string(rl_line_buffer, static_cast<size_t>(rl_point)));
    next = 0;
  }
  return next < words.size() ? strdup(words[next++].c_str()) : nullptr;
}

char** words_of(const char* text, int, int) {
  rl_attempted_completion_over = 1;
  return rl_completion_matches(text, next_word);
}

}  // namespace
#endif

LineEditor::LineEditor(std::string prompt, Complete complete)
    : prompt_(std::move(prompt)), is_terminal_(isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)) {
#ifdef TPUTWIN_LIBEDIT
  if (!is_terminal_) return;
  completer() = std::move(complete);
  rl_attempted_completion_function = words_of;
  using_history();
#else
  static_cast<void>(complete);
#endif
}

std::optional<std::string> LineEditor::read() {
#ifdef TPUTWIN_LIBEDIT
  if (is_terminal_) {
    const std::unique_ptr<char, void (*)(void*)> line(readline(prompt_.c_str()), std::free);
    if (line == nullptr) return {};
    if (*line != '\0') add_history(line.get());
    return std::string(line.get());
  }
#endif
  std::string line;
  if (is_terminal_) std::cout << prompt_ << std::flush;
  if (!std::getline(std::cin, line)) return {};
  return line;
}

}  // namespace tputwin::tools
