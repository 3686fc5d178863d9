// tputwin timing: the predicted time of a program or a model, and what it goes into.
#include "tools/board.h"
#include "tools/commands/command.h"

namespace tputwin::tools {
namespace {

struct TimingArguments {
  std::string board, chip = "BM1684";
  bool json = false;
};

int compare(const TimingArguments& arguments) {
  auto cases = read_board(arguments.board, arguments.chip);
  if (!cases.ok()) return fail("tputwin", cases.error());
  return print(arguments.json ? board_json(*cases) : board_text(*cases));
}

}  // namespace

void add_timing(CLI::App& app, int& exit) {
  auto* sub = app.add_subcommand("timing", "Predict the time of a program and say why it is slow");
  auto arguments = std::make_shared<TimingArguments>();
  sub->add_option("--board", arguments->board,
                  "compare predictions with the times of a board: a folder with board.json and "
                  "recordings");
  sub->add_option("--chip", arguments->chip, "of the recordings")->capture_default_str();
  sub->add_flag("--json", arguments->json, "as JSON");
  sub->footer(footer("  tputwin timing --board bm1684-timing\n"));
  sub->callback([=, &exit] { exit = compare(*arguments); });
}

}  // namespace tputwin::tools
