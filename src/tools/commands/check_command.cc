// tputwin check: errors in a host program, its kernels, or a model.
#include "tools/check.h"

#include "base/errors/tools.h"
#include "tools/commands/command.h"
#include "tools/program.h"

namespace tputwin::tools {
namespace {

int check(const CheckOptions& options, std::vector<std::string> words,
          const std::vector<std::string>& choice) {
  if (options.strict) be_strict();
  if (!choice.empty() && !words.front().ends_with(".bmodel"))
    return fail("tputwin",
                Error(errors::cli_usage)
                    .in("tputwin check")
                    .argument(choice.front(), choice.back())
                    .detail("it chooses among the stages of a .bmodel; options of a host "
                            "program stand after it: -- ./host --stage 1"));
  words.insert(words.end(), choice.begin(), choice.end());
  auto program = program_to_check(std::move(words));
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
  auto net = std::make_shared<std::string>(), stage = std::make_shared<std::string>();
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
  sub->add_option("--net", *net, "of a model: only this net");
  sub->add_option("--stage", *stage, "of a model: only this stage, from 0; default: all");
  sub->add_option("PROGRAM", *words,
                  "a host program with its arguments, a model (.bmodel) with the options of "
                  "tputwin run, after --, or a recording (.tprec)")
      ->required();
  sub->footer(
      footer("  tputwin check -- ./host 100\n"
             "  tputwin check --sarif findings.sarif -- net.bmodel --input image.bin\n"
             "  tputwin check run.tprec\n"));
  sub->callback([=, &exit] {
    std::vector<std::string> choice;
    for (const auto& [option, value] : {std::pair("--net", *net), std::pair("--stage", *stage)})
      if (!value.empty()) choice.insert(choice.end(), {option, value});
    exit = check(*options, *words, choice);
  });
}

}  // namespace tputwin::tools
