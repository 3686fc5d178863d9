// Adapter: converts requests of editors to commands of the debugger.
#include "tools/debug/debug_adapter.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>
#include <sstream>

#include "base/checked_json.h"
#include "tools/campaign/packed_line.h"
#include "tools/debug/debuggee.h"
#include "tools/debug/editor_socket.h"
#include "tools/debug/protocol.h"

namespace tputwin::tools {
namespace {

using Json = CheckedJson;

constexpr int kThread = 1;               // the device
constexpr int kOperands = 1, kLast = 2;  // scopes
// First number of the later scopes, by contents.
constexpr int kTensors = 100;

class Adapter {
 public:
  Adapter(const AdapterOptions& options, ProtocolStream stream)
      : options_(options), stream_(std::move(stream)) {}
  ~Adapter() {
    if (printed_ >= 0) close(printed_);
  }

  void serve() {
    while (!is_over_) {
      // the stop may have arrived with the previous answer, and then causes no event
      while (runs_ && debuggee_ && debuggee_->has_message()) take_stop();
      std::array<pollfd, 3> events{{{stream_.input(), POLLIN, 0},
                                    {runs_ && debuggee_ ? debuggee_->descriptor() : -1, POLLIN, 0},
                                    {printed_, POLLIN, 0}}};
      if (poll(events.data(), events.size(), -1) < 0 && errno != EINTR) return;
      if (events[2].revents != 0) send_output();
      if (events[1].revents != 0) take_stop();
      if (events[0].revents == 0) continue;
      if (!stream_.fill()) return;
      while (!is_over_) {
        const auto request = stream_.next();
        if (!request) break;
        if (request->is_object() && given(*request, "type") == "request") handle(*request);
      }
    }
  }

 private:
  using Handler = void (Adapter::*)(const Json& request);

  void handle(const Json& request) {
    static const std::map<std::string, Handler> kHandlers{
        {"initialize", &Adapter::initialize},
        {"launch", &Adapter::launch},
        {"attach", &Adapter::launch},  // with the program of the command line
        {"setBreakpoints", &Adapter::set_breakpoints},
        {"setFunctionBreakpoints", &Adapter::set_names},
        {"setExceptionBreakpoints", &Adapter::confirm},
        {"configurationDone", &Adapter::configured},
        {"threads", &Adapter::threads},
        {"stackTrace", &Adapter::stack},
        {"scopes", &Adapter::scopes},
        {"variables", &Adapter::variables},
        {"continue", &Adapter::move},
        {"next", &Adapter::move},
        {"stepIn", &Adapter::move},
        {"stepOut", &Adapter::move},
        {"stepBack", &Adapter::move},
        {"reverseContinue", &Adapter::move},
        {"pause", &Adapter::pause},
        {"evaluate", &Adapter::evaluate},
        {"readMemory", &Adapter::read_memory},
        {"completions", &Adapter::complete},
        {"disconnect", &Adapter::leave},
        {"terminate", &Adapter::leave},
    };
    try {
      const auto handler = kHandlers.find(request.value("command", ""));
      if (handler == kHandlers.end()) return refuse(request, "not supported");
      (this->*handler->second)(request);
    } catch (const Json::exception& wrong) {
      refuse(request, wrong.what());
    }
  }

  // Returns a field of any type.
  static Json given(const Json& request, const char* field) {
    return request.contains(field) ? request[field] : Json();
  }

  static Json arguments(const Json& request) {
    const auto found = request.find("arguments");
    return found != request.end() && found->is_object() ? *found : Json::object();
  }
  void respond(const Json& request, Json body = Json::object()) {
    stream_.send({{"type", "response"},
                  {"request_seq", given(request, "seq")},
                  {"command", given(request, "command")},
                  {"success", true},
                  {"body", std::move(body)}});
  }
  void refuse(const Json& request, const std::string& why) {
    stream_.send({{"type", "response"},
                  {"request_seq", given(request, "seq")},
                  {"command", given(request, "command")},
                  {"success", false},
                  {"message", why}});
  }
  void send_event(const std::string& event, Json body = Json::object()) {
    stream_.send({{"type", "event"}, {"event", event}, {"body", std::move(body)}});
  }
  void confirm(const Json& request) { respond(request); }

  // Sends the program's output to the editor.
  void send_output() {
    std::array<char, 4096> buffer;
    const ssize_t bytes = read(printed_, buffer.data(), buffer.size());
    if (bytes > 0)
      send_event("output", {{"category", "stdout"},
                            {"output", std::string(buffer.data(), static_cast<size_t>(bytes))}});
    if (bytes > 0 || (bytes < 0 && errno == EINTR)) return;
    close(printed_);
    printed_ = -1;
  }

  // Sends the position where the device stopped, or the end of the program.
  void take_stop() {
    const auto message = debuggee_->receive();
    runs_ = false;
    if (message) return send_stopped(message->value("stopped", "step"), message->value("text", ""));
    while (printed_ >= 0) send_output();
    send_event("exited", {{"exitCode", debuggee_->wait()}});
    send_event("terminated");
  }
  void send_stopped(const std::string& reason, const std::string& text) {
    static const std::map<std::string, std::string> kReasons{
        {"step", "step"},        {"breakpoint", "breakpoint"}, {"watchpoint", "data breakpoint"},
        {"pause", "pause"},      {"begin", "entry"},           {"end", "pause"},
        {"refused", "exception"}};
    const auto reason_of = kReasons.find(reason);
    send_event("stopped", {{"reason", reason_of != kReasons.end() ? reason_of->second : "step"},
                           {"description", text.substr(0, text.find('\n'))},
                           {"text", text},
                           {"threadId", kThread},
                           {"allThreadsStopped", true}});
  }

  void initialize(const Json& request) {
    Json capabilities = Json::object();
    for (const char* name :
         {"supportsConfigurationDoneRequest", "supportsStepBack", "supportsFunctionBreakpoints",
          "supportsEvaluateForHovers", "supportsCompletionsRequest", "supportsTerminateRequest",
          "supportsSteppingGranularity", "supportsReadMemoryRequest"})
      capabilities[name] = true;
    respond(request, std::move(capabilities));
  }

  // Breakpoints can be set once the device has stopped before its first command.
  void launch(const Json& request) {
    const Json of = arguments(request);
    std::vector<std::string> program = options_.program;
    if (const std::string name = of.value("program", ""); !name.empty()) {
      program = {name};
      for (const Json& word : of.value("args", Json::array()))
        if (word.is_string()) program.push_back(word.get<std::string>());
    }
    if (program.empty()) return refuse(request, "no program is named");
    stops_on_entry_ = of.value("stopOnEntry", false);
    std::array<int, 2> output{-1, -1};
    if (pipe2(output.data(), O_CLOEXEC) != 0) return refuse(request, std::strerror(errno));
    printed_ = output[0];
    auto started =
        Debuggee::start({.program = program, .bytes = options_.bytes, .output = output[1]});
    close(output[1]);
    if (!started.ok()) return refuse(request, started.error().message());
    debuggee_ = std::move(*started);
    const auto stand = debuggee_->receive();
    if (!stand) return refuse(request, "the program opened no device that executes commands");
    first_ = *stand;
    respond(request);
    send_event("initialized");
  }

  void configured(const Json& request) {
    respond(request);
    if (!debuggee_) return;
    if (first_.value("stopped", "") == "refused")
      return send_stopped("refused", first_.value("text", ""));
    if (stops_on_entry_) return send_stopped("begin", first_.value("text", ""));
    // a breakpoint may be at the current position
    go_on("continue");
  }

  // Asks a question. A running device is stopped first and continued afterwards, unless it stopped
  // for another reason.
  Json ask(const Json& question) {
    if (!debuggee_ || !debuggee_->is_open()) return Json::object();
    std::optional<Json> stop;
    if (runs_) {
      debuggee_->send({{"pause", true}});
      stop = debuggee_->receive();
      if (!stop) return Json::object();
      runs_ = false;
    }
    const auto answer = debuggee_->ask(question);
    if (stop && stop->value("stopped", "") != "pause")
      send_stopped(stop->value("stopped", ""), stop->value("text", ""));
    else if (stop)
      go_on("continue");
    return answer.value_or(Json::object());
  }

  void go_on(const std::string& line) {
    const Json answer = ask({{"line", line}});
    runs_ = answer.value("running", false);
    if (!runs_) send_stopped(answer.value("stopped", "step"), answer.value("text", ""));
  }

  void move(const Json& request) {
    static const std::map<std::string, std::pair<const char*, const char*>> kLines{
        {"continue", {"continue", "continue"}},
        {"next", {"line", "step"}},
        {"stepIn", {"step", "step"}},
        {"stepOut", {"launch", "launch"}},
        {"stepBack", {"reverse-line", "reverse-step"}},
        {"reverseContinue", {"reverse-continue", "reverse-continue"}}};
    if (runs_ || !debuggee_ || !debuggee_->is_open()) return refuse(request, "it does not stand");
    const auto& [by_line, by_command] = kLines.at(request.value("command", ""));
    const bool fine = arguments(request).value("granularity", "") == "instruction";
    respond(request, {{"allThreadsContinued", true}});
    go_on(fine ? by_command : by_line);
  }

  void pause(const Json& request) {
    respond(request);
    if (runs_) debuggee_->send({{"pause", true}});
  }

  void set_breakpoints(const Json& request) {
    const Json of = arguments(request);
    Json lines = Json::array();
    for (const Json& wanted : of.value("breakpoints", Json::array()))
      lines.push_back(wanted.value("line", 0));
    const std::string file = of.value("source", Json::object()).value("path", "");
    const Json ids = ask({{"get", "break"}, {"file", file}, {"lines", lines}});
    Json set = Json::array();
    for (size_t i = 0; i < lines.size(); ++i)
      set.push_back({{"verified", true},
                     {"line", lines[i]},
                     {"id", i < ids["ids"].size() ? ids["ids"][i] : Json(0)}});
    respond(request, {{"breakpoints", std::move(set)}});
  }

  void set_names(const Json& request) {
    Json names = Json::array(), set = Json::array();
    for (const Json& wanted : arguments(request).value("breakpoints", Json::array())) {
      names.push_back(wanted.value("name", ""));
      set.push_back({{"verified", true}});
    }
    ask({{"get", "names"}, {"names", names}});
    respond(request, {{"breakpoints", std::move(set)}});
  }

  void threads(const Json& request) {
    respond(request, {{"threads", {{{"id", kThread}, {"name", "device"}}}}});
  }

  void stack(const Json& request) {
    Json frames = Json::array();
    for (const Json& frame : ask({{"get", "stack"}}).value("stack", Json::array())) {
      Json shown{{"id", frames.size() + 1},
                 {"name", frame.value("name", "")},
                 {"line", frame.value("line", 0)},
                 {"column", 1}};
      const std::string file = frame.value("file", "");
      if (!file.empty())
        shown["source"] = {{"name", file.substr(file.rfind('/') + 1)}, {"path", file}};
      frames.push_back(std::move(shown));
    }
    const size_t total = frames.size();
    respond(request, {{"stackFrames", std::move(frames)}, {"totalFrames", total}});
  }

  void scopes(const Json& request) {
    respond(request,
            {{"scopes",
              {{{"name", "Next command"}, {"variablesReference", kOperands}, {"expensive", false}},
               {{"name", "Last command"}, {"variablesReference", kLast}, {"expensive", false}}}}});
  }

  // Returns tensors of a scope, or lines of values of a tensor.
  void variables(const Json& request) {
    const int reference = arguments(request).value("variablesReference", 0);
    Json list = Json::array();
    const int scope = reference >= kTensors ? reference / kTensors : reference;
    const Json tensors = ask({{"get", "variables"}, {"of", scope == kLast ? "last" : "operands"}})
                             .value("variables", Json::array());
    const auto index = static_cast<size_t>(reference % kTensors);
    if (reference < kTensors) {
      for (const Json& tensor : tensors)
        list.push_back(
            {{"name", tensor.value("name", "")},
             {"type", tensor.value("type", "")},
             {"value", tensor.value("value", "")},
             {"memoryReference", tensor.value("place", "")},
             {"evaluateName", (scope == kLast ? "last." : "") + tensor.value("name", "")},
             {"variablesReference", scope * kTensors + static_cast<int>(list.size())}});
    } else if (index < tensors.size()) {
      std::istringstream text(tensors[index].value("text", ""));
      for (std::string line; std::getline(text, line);)
        list.push_back(
            {{"name", fmt::format("{}", list.size())}, {"value", line}, {"variablesReference", 0}});
    }
    respond(request, {{"variables", std::move(list)}});
  }

  // Evaluates a command of the console, or the name of a tensor.
  void evaluate(const Json& request) {
    const Json of = arguments(request);
    std::string line = of.value("expression", "");
    if (runs_) return refuse(request, "it does not stand");
    if (of.value("context", "") != "repl") line = "print " + line;
    const Json answer = ask({{"line", line}});
    respond(request, {{"result", answer.value("text", "")}, {"variablesReference", 0}});
    if (answer.value("running", false)) {
      runs_ = true;
      send_event("continued", {{"threadId", kThread}});
    } else if (answer.contains("stopped")) {
      send_stopped(answer.value("stopped", "step"), answer.value("text", ""));
    }
  }

  // Reads the memory of a variable's reference, or BYTES or a TENSOR of the console.
  void read_memory(const Json& request) {
    const Json of = arguments(request);
    if (runs_) return refuse(request, "it does not stand");
    const auto count = of.value("count", uint64_t{0});
    const Json answer = ask({{"get", "memory"},
                             {"at", of.value("memoryReference", "")},
                             {"offset", of.value("offset", int64_t{0})},
                             {"count", count}});
    if (!answer.contains("bytes")) return refuse(request, answer.value("error", "no device"));
    const auto bytes = answer["bytes"].get<std::vector<uint8_t>>();
    respond(request, {{"address", fmt::format("{:#x}", answer.value("address", uint64_t{0}))},
                      {"data", base64(bytes)},
                      {"unreadableBytes", count - bytes.size()}});
  }

  void complete(const Json& request) {
    const std::string line = arguments(request).value("text", "");
    Json targets = Json::array();
    for (const Json& word :
         ask({{"get", "completions"}, {"line", line}}).value("completions", Json::array()))
      targets.push_back({{"label", word}});
    respond(request, {{"targets", std::move(targets)}});
  }

  void leave(const Json& request) {
    respond(request);
    debuggee_.reset();
    is_over_ = true;
  }

  const AdapterOptions& options_;
  ProtocolStream stream_;
  std::unique_ptr<Debuggee> debuggee_;
  Json first_;  // its first stop
  int printed_ = -1;
  bool runs_ = false, stops_on_entry_ = false, is_over_ = false;
};

}  // namespace

Status serve_editor(const AdapterOptions& options) {
  std::signal(SIGPIPE, SIG_IGN);
  if (options.port == 0) {
    Adapter(options, ProtocolStream(STDIN_FILENO, STDOUT_FILENO)).serve();
    return {};
  }
  TW_ASSIGN_OR_RETURN(editor, connected_editor(options.port));
  Adapter(options, ProtocolStream(editor, editor)).serve();
  close(editor);
  return {};
}

}  // namespace tputwin::tools
