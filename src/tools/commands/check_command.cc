// tputwin check: errors in a host program, its kernels, or a model.
#include "tools/check.h"

#include "tools/commands/command.h"
#include "tools/program.h"

namespace tputwin::tools {
namespace {

int check(const CheckOptions& options, const std::vector<std::string>& words) {
  if (options.strict) be_strict();
  auto program = program_of(words);
  if (!program.ok()) return fail("tputwin", program.error());
  auto result = check_program(options, *program);
  if (!result.ok()) return fail("tputwin", result.error());
  return result->findings != 0 ? kFound : result->exit_code;
}

}  // namespace

void add_check(CLI::App& app, int& exit) {
  auto* sub = app.add_subcommand("check", "Find races, wrong accesses and unwritten bytes");
  auto options = std::make_shared<CheckOptions>();
  auto words = std::make_shared<std::vector<std::string>>();
  sub->add_option(
         "--checks", options->checks,
         "all, races, memory, uninitialized, protocol, numbers, hints, with commas between "
         "them; hints are no mistakes, and not part of all")
      ->capture_default_str();
  sub->add_flag("--hints", options->hints,
                "also print what is suspicious and harmless; it does not change the exit code");
  add_json_file(*sub, options->json, "the findings");
  sub->add_option("--sarif", options->sarif, "the same as SARIF 2.1.0");
  sub->add_option("--numbers", options->numbers,
                  "write shares of saturated and zero results here: JSON (.json) or a table");
  sub->add_option("--suppress", options->suppress, "a file of findings to leave out");
  sub->add_flag("--strict", options->strict, kStrictRunHelp);
  sub->add_option("PROGRAM", *words,
                  "a host program with its arguments, a model (.bmodel) with the options of "
                  "tputwin run, after --, or a recording (.tprec)")
      ->required();
  sub->footer(
      footer("  tputwin check -- ./host 100\n"
             "  tputwin check --sarif findings.sarif -- net.bmodel --input image.bin\n"
             "  tputwin check run.tprec\n"));
  sub->callback([=, &exit] { exit = check(*options, *words); });
}

}  // namespace tputwin::tools
