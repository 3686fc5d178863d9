// tputwin timing and whatif: the predicted time of a program or a model, and its parts.
#include "tools/timing/timing.h"

#include <cstdio>
#include <filesystem>

#include "base/errors/tools.h"
#include "base/file.h"
#include "insight/timing/command_recording.h"
#include "tools/commands/command.h"
#include "tools/environment.h"
#include "tools/timing/board.h"
#include "tools/timing/whatif_page.h"

namespace tputwin::tools {
namespace {

struct TimingArguments {
  std::vector<std::string> words;
  std::string board, chip = "BM1684", json, recording;
  bool is_quiet = false;
};

Status write_if_asked(const std::string& path, const std::string& text) {
  if (path.empty()) return {};
  return write_bytes(path, {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

Result<std::string> compare(const TimingArguments& arguments) {
  TW_ASSIGN_OR_RETURN(cases, read_board(arguments.board, arguments.chip));
  TW_RETURN_IF_ERROR(write_if_asked(arguments.json, board_json(cases)));
  return arguments.json == "-" ? std::string() : board_text(cases);
}

// `end` is how the program ended.
Result<std::string> time_words(const TimingArguments& arguments, ProgramEnd& end) {
  if (arguments.words.empty()) return Error(errors::cli_usage).argument("PROGRAM", "");
  auto predicted = [&] {
    const OutputAside aside(arguments.json == "-");
    return timeline_of_words(arguments.words, &end);
  }();
  TW_ASSIGN_OR_RETURN(timeline, std::move(predicted));
  if (!arguments.recording.empty())
    TW_RETURN_IF_ERROR(write_if_asked(
        arguments.recording, insight::command_recording_of(timeline, /*with_lines=*/true)));
  if (!arguments.json.empty())
    TW_RETURN_IF_ERROR(write_if_asked(arguments.json, timing_json(timeline)));
  return arguments.is_quiet || arguments.json == "-" ? std::string() : timing_text(timeline);
}

struct WhatIfArguments {
  WhatIfOptions options;
  std::vector<std::string> words;
  std::string json, html;
};

Result<std::string> try_chips(const WhatIfArguments& arguments) {
  auto predicted = [&] {
    const OutputAside aside(arguments.json == "-");
    return what_if(arguments.options, arguments.words);
  }();
  TW_ASSIGN_OR_RETURN(result, std::move(predicted));
  TW_RETURN_IF_ERROR(write_if_asked(arguments.json, whatif_json(result)));
  const std::string title = std::filesystem::path(arguments.words.front()).filename().string();
  if (!arguments.html.empty())
    TW_RETURN_IF_ERROR(write_if_asked(arguments.html, whatif_page(result, title)));
  return arguments.json == "-" ? std::string() : whatif_text(result);
}

constexpr const char* kWords =
    "a host program with its arguments, a .bmodel (and --net NAME, --stage N), or a .caffemodel "
    "with its table and, if need be, its graph; after --";

}  // namespace

void add_timing(CLI::App& app, int& exit) {
  auto* sub =
      app.add_subcommand("timing", "Predict the time of a program and print why it is slow");
  auto arguments = std::make_shared<TimingArguments>();
  sub->add_option("PROGRAM", arguments->words, kWords);
  add_json_file(*sub, arguments->json, "the report");
  sub->add_option("--recording", arguments->recording, "write the commands here, a line for each");
  sub->add_flag("--quiet", arguments->is_quiet, "print no report");
  sub->add_option("--board", arguments->board,
                  "compare predictions with the times of a board: a folder with board.json and "
                  "recordings");
  sub->add_option("--chip", arguments->chip, "of those recordings")->capture_default_str();
  sub->footer(
      footer("  tputwin timing -- ./host 100\n"
             "  tputwin timing --json why.json -- net.bmodel\n"
             "  tputwin timing --json -- net.bmodel\n"
             "  tputwin timing --board bm1684-timing\n"));
  sub->callback([=, &exit] {
    ProgramEnd end;
    exit = print(arguments->board.empty() ? time_words(*arguments, end) : compare(*arguments));
    if (exit == 0) exit = end.code;
  });
}

void add_whatif(CLI::App& app, int& exit) {
  auto* sub = app.add_subcommand("whatif", "Predict the time on a chip with other numbers");
  auto arguments = std::make_shared<WhatIfArguments>();
  WhatIfOptions& o = arguments->options;
  sub->add_option("PROGRAM", arguments->words, kWords)->required();
  sub->add_option("--lanes", o.lanes, "lanes")->delimiter(',');
  sub->add_option("--lane-bytes", o.lane_bytes, "bytes of local memory of a lane")->delimiter(',');
  sub->add_option("--ddr", o.ddr, "GB/s loaded from global memory; stores in proportion")
      ->delimiter(',');
  sub->add_option("--clock", o.clock, "MHz")->delimiter(',');
  sub->add_option("--issue", o.issue, "microseconds for each command of a kernel")->delimiter(',');
  sub->add_option("--launch", o.launch, "microseconds for each launch")->delimiter(',');
  add_json_file(*sub, arguments->json, "the table");
  sub->add_option("--html", arguments->html, "write the table and a plot of it here");
  sub->footer(
      footer("  tputwin whatif --ddr 28,56 --issue 3.5,1 -- ./host 100\n"
             "  tputwin whatif --lanes 32,64 -- net.caffemodel net.table deploy.prototxt\n"));
  sub->callback([=, &exit] { exit = print(try_chips(*arguments)); });
}

}  // namespace tputwin::tools
