// The table of console commands, the position text, and commands that continue execution.
#include "insight/debug/console.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>

namespace tputwin::debug {
namespace {

std::string trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t\r");
  return begin == text.npos ? "" : text.substr(begin, end - begin + 1);
}

}  // namespace

std::span<const Console::Command> Console::commands() {
  using Unit = Motion::Unit;
  static constexpr Command kCommands[] = {
      {"step", "s", "[COUNT]", "to the next command", &Console::move<Unit::command, false>},
      {"line", "n", "[COUNT]", "to the next line of the kernel's source",
       &Console::move<Unit::line, false>},
      {"layer", "", "[COUNT]", "to the next layer of a network",
       &Console::move<Unit::layer, false>},
      {"launch", "", "[COUNT]", "to the next launch", &Console::move<Unit::launch, false>},
      {"continue", "c", "", "until something stops it", &Console::move<Unit::all, false>},
      {"reverse-step", "rs", "[COUNT]", "back to the command before",
       &Console::move<Unit::command, true>},
      {"reverse-line", "rn", "[COUNT]", "back to where a line begins",
       &Console::move<Unit::line, true>},
      {"reverse-layer", "", "[COUNT]", "back to where a layer begins",
       &Console::move<Unit::layer, true>},
      {"reverse-launch", "", "[COUNT]", "back to where a launch begins",
       &Console::move<Unit::launch, true>},
      {"reverse-continue", "rc", "", "back until something stops it",
       &Console::move<Unit::all, true>},
      {"goto", "g", "NUMBER|first|newest", "before a command, or to either end", &Console::go_to},
      {"break", "b", "NAME|FILE:LINE|#NUMBER|launch NUMBER|launch NAME|layer NUMBER|layer NAME",
       "stop at calls or operations (with *), lines, commands", &Console::add_break},
      {"watch", "w", "BYTES [write]", "stop where bytes change (or are written)",
       &Console::add_watch},
      {"delete", "d", "NUMBER", "a breakpoint or watchpoint", &Console::remove},
      {"stops", "", "", "the breakpoints and watchpoints", &Console::stops},
      {"where", "bt", "", "the command that comes next, and the lines it comes from",
       &Console::where},
      {"list", "l", "[NUMBER [COUNT]]", "commands around", &Console::list},
      {"launches", "", "", "the launches so far", &Console::launches},
      {"print", "p", "TENSOR [all]", "its values", &Console::print},
      {"hex", "x", "BYTES [all]", "bytes", &Console::hex},
      {"statistics", "", "TENSOR", "range, mean, zeros, saturated values", &Console::statistics},
      {"image", "", "TENSOR [N,C] [FILE.png]", "as a picture", &Console::image},
      {"lanes", "", "TENSOR", "in which lanes, banks and bytes it is", &Console::lanes},
      {"map", "", "", "what is allocated, and who wrote what in local memory", &Console::map},
      {"who", "", "BYTES", "who wrote bytes last", &Console::who},
      {"made", "", "BYTE", "where a value was made: back through copies", &Console::made},
      {"explain", "e", "[#NUMBER] (N,C,H,W)", "a result as its formula with its numbers",
       &Console::explain},
      {"colour", "", "on|off", "of pictures", &Console::colour},
      {"help", "h", "[COMMAND]", "this list", &Console::help},
  };
  return kCommands;
}

// Runs a command given by its name, its short form, or a unique prefix of its name.
Console::Answer Console::run(const std::string& line) {
  const std::string text = trimmed(line);
  if (text.empty() || text.front() == '#') return {};
  const size_t space = text.find(' ');
  const std::string word = text.substr(0, space);
  const std::string arguments = space == text.npos ? "" : trimmed(text.substr(space));
  const Command* found = nullptr;
  for (const Command& command : commands()) {
    if (word == command.name || word == command.shorter) {
      found = &command;
      break;
    }
    if (found == nullptr && command.name.starts_with(word)) found = &command;
  }
  if (found == nullptr) return {fmt::format("\"{}\" is not a command; help lists them\n", word)};
  return (this->*found->run)(arguments);
}

Console::Answer Console::help(const std::string& arguments) {
  std::string text;
  for (const Command& command : commands()) {
    if (!arguments.empty() && command.name != arguments && command.shorter != arguments) continue;
    std::string name(command.name);
    if (!command.shorter.empty()) name += fmt::format(", {}", command.shorter);
    text += fmt::format("{:<22} {}\n{:>24}{}\n", name, command.arguments, "", command.help);
  }
  if (!arguments.empty()) return {text};
  return {text +
          "TENSOR: an operand of the next command by its name, last.NAME, #NUMBER.NAME, or a view\n"
          "  such as f32(1,3,4,4)@L+0x0 stride(16,16,4,1)\n"
          "BYTES: G+0x100:16, L2+0x0:4, L3+0x10:4 (lane 3), 0x100000100:16 (an address as\n"
          "  kernels print it), or a TENSOR\n"
          "quit ends the program\n"};
}

std::vector<std::string> Console::completions(const std::string& line) {
  const size_t space = line.find_last_of(' ');
  const std::string begin = space == line.npos ? line : line.substr(space + 1);
  std::set<std::string> found;
  const auto offer = [&](std::string_view word) {
    if (word.starts_with(begin)) found.insert(std::string(word));
  };
  if (space == line.npos || line.starts_with("help ")) {
    for (const Command& command : commands()) offer(command.name);
    offer("quit");
    return {found.begin(), found.end()};
  }
  if (const Entry* entry = debugger_.next())
    for (const Operand& operand : operands(entry->instruction->op)) offer(operand.name);
  if (const Entry* entry = debugger_.last())
    for (const Operand& operand : operands(entry->instruction->op))
      offer("last." + std::string(operand.name));
  for (const std::string_view word : {"launch", "layer", "first", "newest", "all", "write"})
    offer(word);
  if (line.starts_with("b")) {
    const Journal& journal = debugger_.journal();
    for (Moment m = journal.first(); m < journal.end(); ++m)
      if (journal.at(m).is_command()) offer(journal.at(m).call);
  }
  found.erase("");
  return {found.begin(), found.end()};
}

std::string Console::command_text(const Entry& entry) {
  return fmt::format("{}\n{}  {}\n", headline(debugger_, entry), lines_of(debugger_, entry),
                     operation_text(entry.instruction->op, debugger_.chip()));
}

std::string Console::position() {
  const Entry* next = debugger_.next();
  if (next != nullptr) return command_text(*next);
  std::string text;
  if (const UserCode* refused = debugger_.refused()) text = lines_of(*refused);
  const Entry* last = debugger_.last();
  return text + (last == nullptr ? "no command so far\n" : "after " + command_text(*last));
}

std::string Console::describe(const Stop& stop) {
  if (stop.text.empty()) return position();
  return stop.text + "\n" + position();
}

Console::Answer Console::go(Motion::Unit unit, bool back, const std::string& count) {
  const uint64_t number = count.empty() ? 1 : std::strtoull(count.c_str(), nullptr, 0);
  if (number == 0 && unit == Motion::Unit::layer)
    return {
        fmt::format("a count is a number from 1 on, not \"{0}\"; to stop at a layer of that "
                    "name: break layer {0}\n",
                    count)};
  if (number == 0) return {fmt::format("a count is a number from 1 on, not \"{}\"\n", count)};
  auto stop = debugger_.resume({.unit = unit, .back = back, .count = number});
  if (!stop) return {.text = {}, .runs = true};
  std::string text = describe(*stop);
  return {.text = std::move(text), .stop = std::move(stop)};
}

Console::Answer Console::go_to(const std::string& arguments) {
  Journal& journal = debugger_.journal();
  Moment moment = journal.end();
  if (arguments == "first") {
    moment = journal.first();
  } else if (arguments == "newest") {
    moment = debugger_.newest();
  } else {
    const std::string digits = arguments.starts_with('#') ? arguments.substr(1) : arguments;
    moment = journal.of_command(std::strtoull(digits.c_str(), nullptr, 0));
    if (moment == journal.end())
      return {fmt::format("there is no command {} in what is kept\n", arguments)};
  }
  debugger_.go_to(moment);
  return {.text = position(), .stop = Stop{}};
}

}  // namespace tputwin::debug
