// Tests of the Debug Adapter Protocol over pipes, as editors use it.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <nlohmann/json.hpp>

#include "tools/debug/protocol.h"

namespace tputwin::debug::testing {
namespace {

using Json = nlohmann::json;

constexpr int kPatience = 60'000;  // ms

class Editor {
 public:
  Editor() {
    setenv("TPUTWIN_CHIP", "BM1684", 1);
    std::array<int, 2> to{}, from{};
    if (pipe2(to.data(), O_CLOEXEC) != 0 || pipe2(from.data(), O_CLOEXEC) != 0) return;
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, to[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, from[1], STDOUT_FILENO);
    std::string program = TPUTWIN_BIN_DIR "/tputwin", command = "debug", flag = "--dap";
    char* words[] = {program.data(), command.data(), flag.data(), nullptr};
    EXPECT_EQ(posix_spawn(&process_, program.c_str(), &files, nullptr, words, environ), 0);
    posix_spawn_file_actions_destroy(&files);
    close(to[0]);
    close(from[1]);
    output_ = to[1];
    stream_ = std::make_unique<tools::ProtocolStream>(from[0], output_);
  }
  ~Editor() {
    close(output_);
    close(stream_->input());
    int status = 0;
    waitpid(process_, &status, 0);
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }

  // Returns the body of the response; keeps events that arrive before it.
  Json request(const std::string& command, Json arguments = Json::object()) {
    stream_->send({{"type", "request"}, {"command", command}, {"arguments", std::move(arguments)}});
    const Json response = until([&](const Json& message) {
      return message.value("type", "") == "response" && message.value("command", "") == command;
    });
    EXPECT_TRUE(response.value("success", false)) << response;
    return response.value("body", Json::object());
  }
  // Returns the response to any request.
  Json answer(Json odd) {
    odd["type"] = "request";
    stream_->send(odd);
    return until([](const Json& message) { return message.value("type", "") == "response"; });
  }
  // Returns the body of the next event of that name.
  Json event(const std::string& name) {
    const Json message = until([&](const Json& m) { return m.value("event", "") == name; });
    return message.value("body", Json::object());
  }

 private:
  Json until(const std::function<bool(const Json&)>& is_wanted) {
    for (auto kept = kept_.begin(); kept != kept_.end(); ++kept)
      if (is_wanted(*kept)) {
        Json message = *kept;
        kept_.erase(kept);
        return message;
      }
    while (true) {
      while (auto message = stream_->next()) {
        if (is_wanted(*message)) return *message;
        kept_.push_back(std::move(*message));
      }
      pollfd answers{stream_->input(), POLLIN, 0};
      const bool comes = poll(&answers, 1, kPatience) > 0;
      if (comes && stream_->fill()) continue;
      ADD_FAILURE() << (comes ? "the adapter ended" : "the adapter does not answer");
      return Json::object();
    }
  }

  pid_t process_ = 0;
  int output_ = -1;
  std::unique_ptr<tools::ProtocolStream> stream_;
  std::vector<Json> kept_;
};

constexpr int kLoad = 17, kAdd = 19;  // lines of host/blend.c

void launch(Editor& editor, int line) {
  EXPECT_TRUE(editor.request("initialize").value("supportsStepBack", false));
  editor.request("launch", {{"program", TPUTWIN_BIN_DIR "/debug_blend"}});
  editor.event("initialized");
  const Json set = editor.request(
      "setBreakpoints", {{"source", {{"path", TPUTWIN_SOURCE_DIR "/tests/debug/host/blend.c"}}},
                         {"breakpoints", {{{"line", line}}}}});
  EXPECT_TRUE(set["breakpoints"][0].value("verified", false));
  editor.request("configurationDone");
}

int line_of(Editor& editor) {
  const Json frames = editor.request("stackTrace", {{"threadId", 1}})["stackFrames"];
  EXPECT_EQ(frames[0]["source"]["name"], "blend.c");
  return frames[0].value("line", 0);
}

TEST(Adapter, RefusesRequestsOfOtherTypesThanAgreed) {
  Editor editor;
  for (const Json& odd :
       {Json{{"command", 7}},
        Json{{"command", "evaluate"}, {"seq", "x"}, {"arguments", {{"expression", 3}}}},
        Json{{"command", "setBreakpoints"}, {"arguments", {{"source", 3}}}},
        Json{{"command", "variables"}, {"arguments", {{"variablesReference", 1e308}}}}})
    EXPECT_FALSE(editor.answer(odd).value("success", true)) << odd;
  EXPECT_TRUE(editor.request("initialize").is_object());
}

TEST(Adapter, StopsAtLinesAndGoesBack) {
  Editor editor;
  launch(editor, kAdd);
  EXPECT_EQ(editor.event("stopped")["reason"], "breakpoint");
  EXPECT_EQ(editor.request("threads")["threads"].size(), 1u);
  EXPECT_EQ(line_of(editor), kAdd);
  editor.request("stepBack", {{"threadId", 1}});
  editor.event("stopped");
  EXPECT_EQ(line_of(editor), kAdd - 1);
  editor.request("reverseContinue", {{"threadId", 1}});
  editor.event("stopped");
  EXPECT_EQ(line_of(editor), kLoad);
  editor.request("next", {{"threadId", 1}});
  editor.event("stopped");
  EXPECT_EQ(line_of(editor), kLoad + 1);
  editor.request("continue", {{"threadId", 1}});
  EXPECT_EQ(editor.event("stopped")["reason"], "breakpoint");
  EXPECT_EQ(line_of(editor), kAdd);
  editor.request("disconnect");
}

// The line of the refused call, before any command.
TEST(Adapter, ARefusedFirstCommandIsAnException) {
  Editor editor;
  editor.request("initialize");
  editor.request("launch",
                 {{"program", TPUTWIN_BIN_DIR "/debug_ends"}, {"args", {"refused", "none"}}});
  editor.event("initialized");
  editor.request("configurationDone");
  const Json stopped = editor.event("stopped");
  EXPECT_EQ(stopped["reason"], "exception");
  EXPECT_EQ(stopped.value("description", "").rfind("refused: TW-OKK-0005", 0), 0u) << stopped;
  const Json frames = editor.request("stackTrace", {{"threadId", 1}})["stackFrames"];
  EXPECT_EQ(frames[0]["source"]["name"], "ends.c");
  EXPECT_EQ(frames[0].value("line", 0), 44);
  editor.request("disconnect");
}

// A stop may arrive together with the response that the device runs; nothing follows then.
TEST(Adapter, ReportsAStopHoweverSoonItComes) {
  Editor editor;
  launch(editor, kAdd);
  editor.event("stopped");
  for (int index = 0; index < 200; ++index)
    for (const char* way : {"reverseContinue", "continue"}) {
      editor.request(way, {{"threadId", 1}});
      editor.event("stopped");
    }
  EXPECT_EQ(line_of(editor), kAdd);
  editor.request("disconnect");
}

TEST(Adapter, ShowsTensors) {
  Editor editor;
  launch(editor, kAdd);
  editor.event("stopped");
  const Json scopes = editor.request("scopes", {{"frameId", 1}})["scopes"];
  ASSERT_EQ(scopes.size(), 2u);
  const Json tensors = editor.request(
      "variables", {{"variablesReference", scopes[0]["variablesReference"]}})["variables"];
  ASSERT_EQ(tensors.size(), 3u);
  EXPECT_EQ(tensors[1]["name"], "src0_addr");
  EXPECT_EQ(tensors[1]["type"], "f32(1,2,8,8)@L+0x0 stride(0,0,8,1)");
  const Json rows = editor.request(
      "variables", {{"variablesReference", tensors[1]["variablesReference"]}})["variables"];
  EXPECT_GT(rows.size(), 8u);
  const Json memory = editor.request(
      "readMemory",
      {{"memoryReference", tensors[1]["memoryReference"]}, {"offset", 0}, {"count", 8}});
  EXPECT_EQ(memory["data"], "AAAAAAAAgD8=") << "0 and 1";
  EXPECT_EQ(memory["unreadableBytes"], 0);
  const Json value =
      editor.request("evaluate", {{"expression", "src1_addr"}, {"context", "hover"}});
  EXPECT_NE(value.value("result", "").find("1000"), std::string::npos) << value;
  const Json who =
      editor.request("evaluate", {{"expression", "who L0+0x80:4"}, {"context", "repl"}});
  EXPECT_NE(who.value("result", "").find("#2 okk_gdma_32bit_cpy_S2L"), std::string::npos) << who;
  editor.request("disconnect");
}

TEST(Adapter, ReportsTheEnd) {
  Editor editor;
  launch(editor, kAdd);
  editor.event("stopped");
  editor.request("setBreakpoints",
                 {{"source", {{"path", TPUTWIN_SOURCE_DIR "/tests/debug/host/blend.c"}}},
                  {"breakpoints", Json::array()}});
  editor.request("continue", {{"threadId", 1}});
  EXPECT_EQ(editor.event("stopped")["description"], "the device is closed");
  editor.request("continue", {{"threadId", 1}});
  EXPECT_EQ(editor.event("output")["output"], "sum[32] is 2032, not 1064\n");
  EXPECT_EQ(editor.event("exited")["exitCode"], 1);
  editor.event("terminated");
  editor.request("disconnect");
}

}  // namespace
}  // namespace tputwin::debug::testing
