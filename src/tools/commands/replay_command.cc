// tputwin replay: repeats a recording and compares it with the recorded run.
#include <cstdio>

#include "tools/commands/command.h"
#include "tools/commands/play_options.h"
#include "tools/reports/json.h"

namespace tputwin::tools {
namespace {

int replay(const std::string& path, const PlaySettings& settings, bool json) {
  auto result = replay_file(path, settings);
  if (!result.ok()) return fail("tputwin", result.error());
  if (json)
    print_json(result->json);
  else
    std::fputs(result->text.c_str(), stdout);
  return result->equal ? kOk : kDiffers;
}

}  // namespace

void add_replay(CLI::App& app, int& exit) {
  auto* sub = app.add_subcommand("replay", "Repeat a recorded run and compare memory at its end");
  auto path = std::make_shared<std::string>();
  auto settings = std::make_shared<PlaySettings>();
  sub->add_option("FILE", *path, "a recording of tputwin record (.tprec)")->required();
  add_play_options(*sub, "--", *settings);
  auto json = std::make_shared<bool>(false);
  sub->add_flag("--json", *json, "as JSON");
  sub->footer(
      footer("  tputwin replay run.tprec\n"
             "  tputwin replay run.tprec --reference\n"
             "  tputwin replay run.tprec --schedule shuffled --seed 7 --threads 1\n"));
  sub->callback([=, &exit] { exit = replay(*path, *settings, *json); });
}

}  // namespace tputwin::tools
