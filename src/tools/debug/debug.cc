// tputwin debug: reads commands from files and the terminal, and prints the debugger's answers.
#include "tools/debug/debug.h"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <fstream>
#include <optional>

#include "base/checked_json.h"
#include "base/errors/tools.h"
#include "tools/debug/debuggee.h"
#include "tools/debug/line_editor.h"
#include "tools/debug/picture_file.h"

namespace tputwin::tools {
namespace {

using Json = CheckedJson;

constexpr const char* kPrompt = "(debug) ";

volatile std::sig_atomic_t interrupted_descriptor = -1;

void interrupt(int) {
  constexpr char kPause[] = "{\"pause\":true}\n";
  if (interrupted_descriptor < 0) return;
  [[maybe_unused]] const ssize_t bytes = write(interrupted_descriptor, kPause, sizeof kPause - 1);
}

void show(const Json& message) {
  std::fputs(message.value("text", "").c_str(), stdout);
  std::fflush(stdout);
}

// Source of commands: the script, then standard input.
class Commands {
 public:
  Commands(const std::string& script, Complete complete)
      : script_(script), has_script_(!script.empty()), editor_(kPrompt, std::move(complete)) {}
  bool is_readable() const { return !has_script_ || script_.good(); }
  bool is_terminal() const { return editor_.is_terminal(); }

  std::optional<std::string> next() {
    std::string line;
    if (has_script_ && std::getline(script_, line)) return echoed(line);
    auto typed = editor_.read();
    if (!typed) return {};
    if (!is_terminal()) return echoed(*typed);
    if (typed->empty()) return last_;  // an empty line repeats the one before
    last_ = *typed;
    return typed;
  }

 private:
  static std::string echoed(const std::string& line) {
    fmt::print("{}{}\n", kPrompt, line);
    std::fflush(stdout);
    return line;
  }
  std::ifstream script_;
  bool has_script_;
  LineEditor editor_;
  std::string last_;
};

// Waits until the device stops again; returns false if the program has ended.
bool wait_for_stop(Debuggee& debuggee) {
  interrupted_descriptor = debuggee.descriptor();
  const auto message = debuggee.receive();
  interrupted_descriptor = -1;
  if (message) show(*message);
  return message.has_value();
}

bool is_quit(const std::string& line) { return line == "quit" || line == "q" || line == "exit"; }

// Shows that the commands that are left have no answer. A terminal is not waited for.
void answer_rest(Commands& commands) {
  if (commands.is_terminal()) return;
  for (auto line = commands.next(); line && !is_quit(*line); line = commands.next())
    if (!line->empty() && line->front() != '#')
      fmt::print("the program has ended, and its memories are lost\n");
}

// State after the last command: the program has ended, continues without debugger, or must be
// ended.
enum class End : uint8_t { over, left, quit };
End converse(Debuggee& debuggee, Commands& commands) {
  while (true) {
    const auto line = commands.next();
    if (!line) return End::left;
    if (is_quit(*line)) return End::quit;
    const auto answer = debuggee.ask({{"line", *line}});
    if (!answer) return End::over;
    show(*answer);
    if (answer->contains("picture"))
      if (Status status = write_picture(answer->at("picture")); !status.ok())
        fmt::print("{}\n", status.error().message());
    if (answer->value("running", false) && !wait_for_stop(debuggee)) return End::over;
  }
}

}  // namespace

Result<int> debug_program(const DebugOptions& options, const std::vector<std::string>& program) {
  TW_ASSIGN_OR_RETURN(debuggee, Debuggee::start({.program = program, .bytes = options.bytes}));
  Commands commands(options.script, [&](const std::string& line) {
    const auto answer = debuggee->ask({{"get", "completions"}, {"line", line}});
    return answer ? answer->value("completions", std::vector<std::string>())
                  : std::vector<std::string>();
  });
  if (!commands.is_readable())
    return Error(errors::cli_debug).argument("-x", options.script).detail("it cannot be read");
  if (!debuggee->is_open())
    return Error(errors::cli_debug)
        .argument("PROGRAM", program.front())
        .detail("it opened no device");
  std::signal(SIGINT, interrupt);
  End end = End::over;
  if (wait_for_stop(*debuggee)) {
    if (commands.is_terminal()) debuggee->ask({{"line", "colour on"}});
    end = converse(*debuggee, commands);
  }
  std::signal(SIGINT, SIG_DFL);
  if (end == End::over) answer_rest(commands);
  if (end == End::quit) return 0;
  debuggee->let_go();
  const int code = debuggee->wait();
  fmt::print("the program ended with {}\n", code);
  return code;
}

}  // namespace tputwin::tools
