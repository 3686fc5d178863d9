// Console: the commands of the debugger, as people and scripts write them.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "insight/debug/debugger.h"
#include "insight/debug/look.h"

namespace tputwin::debug {

class Console {
 public:
  struct Answer {
    std::string text;
    std::optional<Stop> stop;  // where it stands now
    bool runs = false;         // the device has to go on
    // To be written as a file of that name.
    std::optional<Picture> picture;
    std::string file;
  };
  struct Command {
    std::string_view name, shorter;  // "step", "s"
    std::string_view arguments, help;
    Answer (Console::*run)(const std::string& arguments);
  };

  // `has_colour`: of pictures, for this console and those to come.
  Console(Debugger& debugger, bool& has_colour) : debugger_(debugger), has_colour_(has_colour) {}

  // In the order in which help lists them.
  static std::span<const Command> commands();
  Answer run(const std::string& line);
  // What a front shows when the device stops.
  std::string describe(const Stop& stop);
  // How a line might go on: its last word, completed.
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
