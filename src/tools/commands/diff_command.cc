// tputwin diff: compares two runs and prints the first command whose results differ.
#include <cstdio>

#include "tools/commands/command.h"
#include "tools/commands/play_options.h"
#include "tools/reports/json.h"

namespace tputwin::tools {
namespace {

struct DiffCommand {
  DiffSide a, b;
  std::vector<std::string> inputs;
  bool json = false;
};

int diff(DiffCommand& command) {
  if (command.b.path.empty()) command.b.path = command.a.path;
  std::vector<std::string> run_options;
  for (const std::string& input : command.inputs) {
    run_options.push_back("--input");
    run_options.push_back(input);
  }
  auto result = diff_files(command.a, command.b, run_options);
  if (!result.ok()) return fail("tputwin", result.error());
  if (command.json)
    print_json(result->json);
  else
    std::fputs(result->text.c_str(), stdout);
  return result->equal ? kOk : kDiffers;
}

}  // namespace

void add_diff(CLI::App& app, int& exit) {
  auto* sub = app.add_subcommand("diff", "Compare two runs, command by command");
  auto command = std::make_shared<DiffCommand>();
  sub->add_option("A", command->a.path, "a recording (.tprec), or a model (.bmodel) to be run")
      ->required();
  sub->add_option("B", command->b.path, "the other; default: A again, in another way");
  sub->add_option("--input", command->inputs, "of models, as of tputwin run")
      ->allow_extra_args(false);
  add_play_options(*sub, "--a-", command->a.settings);
  add_play_options(*sub, "--b-", command->b.settings);
  sub->add_option("--a-quirks", command->a.settings.quirks, "of a model: as TPUTWIN_QUIRKS");
  sub->add_option("--b-quirks", command->b.settings.quirks, "of a model: as TPUTWIN_QUIRKS");
  sub->add_flag("--json", command->json, "as JSON");
  sub->footer(
      footer("  tputwin diff good.tprec bad.tprec\n"
             "  tputwin diff run.tprec --b-isa reference\n"
             "  tputwin diff run.tprec --b-schedule shuffled --b-seed 3\n"
             "  tputwin diff old.bmodel new.bmodel --input image.bin\n"));
  sub->callback([=, &exit] { exit = diff(*command); });
}

}  // namespace tputwin::tools
