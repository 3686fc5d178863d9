// tputwin selftest: checks every instruction set of this processor.
#include <cstdio>

#include "tools/commands/command.h"
#include "tools/reports/json.h"
#include "tools/selftest.h"

namespace tputwin::tools {
namespace {

int selftest(const SelftestOptions& options, bool json) {
  auto reports = run_selftest(options);
  if (!reports.ok()) return fail("tputwin", reports.error());
  if (reports->empty()) return kOk;  // another process of the run prints it
  if (json)
    print_json(selftest_json(*reports));
  else
    std::fputs(selftest_text(*reports).c_str(), stdout);
  for (const TargetReport& target : *reports)
    if (!target.ok()) return kDiffers;
  return kOk;
}

}  // namespace

void add_selftest(CLI::App& app, int& exit) {
  auto* sub = app.add_subcommand("selftest", "Check every instruction set of this processor");
  auto options = std::make_shared<SelftestOptions>();
  sub->add_option("--cases", options->cases, "random operations of each kind")
      ->check(CLI::Range(1u, 1000000000u));
  sub->add_option("--seed", options->seed, "of the first; each has the next");
  sub->add_option("--only", options->only, "one kind of operation, and no recorded cases");
  sub->add_option("--isa", options->isa, "one instruction set");
  sub->add_option("--threads", options->threads, "so many instead of one and all")
      ->check(CLI::Range(1, 1024));
  sub->add_flag("--random", options->random, "no recorded cases");
  sub->add_option("--checkpoint", options->checkpoint,
                  "of random operations alone: a file for what is done, to go on from");
  sub->footer(
      footer("  tputwin selftest\n  tputwin selftest --isa avx2 --cases 1000\n"
             "  mpirun -n 4 tputwin selftest --random --cases 100000 --checkpoint part\n"));
  auto json = std::make_shared<bool>(false);
  sub->add_flag("--json", *json, "as JSON");
  sub->callback([=, &exit] { exit = selftest(*options, *json); });
}

}  // namespace tputwin::tools
