// tputwin profile: the parts of the predicted time of a host program, its kernels, or a model.
#include "tools/timing/profile.h"

#include <fmt/format.h>

#include "tools/commands/command.h"

namespace tputwin::tools {
namespace {

int profile(const ProfileOptions& options, const std::vector<std::string>& words) {
  auto profiling = profile_program(options, words);
  if (!profiling.ok()) return fail("tputwin", profiling.error());
  if (!profiling->has_profile) return profiling->exit_code;
  for (const std::string& path : {options.html, options.trace, options.json})
    if (!path.empty() && path != "-") fmt::print(stderr, "wrote {}\n", path);
  return profiling->exit_code;
}

}  // namespace

void add_profile(CLI::App& app, int& exit) {
  auto* sub = app.add_subcommand("profile", "Show where the predicted time goes");
  auto options = std::make_shared<ProfileOptions>();
  auto words = std::make_shared<std::vector<std::string>>();
  sub->add_option("--html", options->html, "write the page here; \"\": no page")
      ->capture_default_str();
  sub->add_option("--trace", options->trace, "write a trace for ui.perfetto.dev here");
  add_json_file(*sub, options->json, "the tables");
  sub->add_option("PROGRAM", *words,
                  "a host program with its arguments, or a model (.bmodel) with the options of "
                  "tputwin run, after --")
      ->required();
  sub->footer(
      footer("  tputwin profile -- ./host 100\n"
             "  tputwin profile --trace net.trace.json -- net.bmodel --input image.bin\n"
             "  tputwin profile --html \"\" --json -- ./host 100\n"));
  sub->callback([=, &exit] { exit = profile(*options, *words); });
}

}  // namespace tputwin::tools
