// Console: the commands of the debugger, as users and scripts type them.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "insight/debug/debugger.h"
#include "insight/debug/memory_text.h"

namespace tputwin::debug {

class Console {
 public:
  struct Answer {
    std::string text;
    std::optional<Stop> stop;  // where the device is stopped now
    bool runs = false;         // the device must continue
    // A picture for the front to write to a file named `file`.
    std::optional<Picture> picture;
    std::string file;
  };
  struct Command {
    std::string_view name, shorter;  // "step", "s"
    std::string_view arguments, help;
    Answer (Console::*run)(const std::string& arguments);
  };

  // `has_colour` selects coloured pictures. It is shared with later consoles.
  Console(Debugger& debugger, bool& has_colour) : debugger_(debugger), has_colour_(has_colour) {}

  // Returns the commands in the order of the help text.
  static std::span<const Command> commands();
  Answer run(const std::string& line);
  // Returns the text that a front shows when the device stops.
  std::string describe(const Stop& stop);
  // Returns completions of the last word of a line.
  std::vector<std::string> completions(const std::string& line);

 private:
  Answer go(Motion::Unit unit, bool back, const std::string& count);
  template <Motion::Unit unit, bool back>
  Answer move(const std::string& count) {
    return go(unit, back, count);
  }
  Answer go_to(const std::string&);

  Answer add_break(const std::string&);
  Answer add_watch(const std::string&);
  Answer remove(const std::string&);
  Answer stops(const std::string&);

  Answer where(const std::string&);
  Answer list(const std::string&);
  Answer launches(const std::string&);
  Answer print(const std::string&);
  Answer hex(const std::string&);
  Answer statistics(const std::string&);
  Answer image(const std::string&);
  Answer lanes(const std::string&);
  Answer map(const std::string&);
  Answer who(const std::string&);
  Answer made(const std::string&);
  Answer explain(const std::string&);
  Answer colour(const std::string&);
  Answer help(const std::string&);

  std::string position();
  std::string command_text(const Entry& entry);
  std::string writer_text(Moment moment);

  Debugger& debugger_;
  bool& has_colour_;
};

}  // namespace tputwin::debug
