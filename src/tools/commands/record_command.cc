// tputwin record: the run of a host program or a model.
#include <fmt/format.h>

#include <cstdio>

#include "tools/commands/command.h"
#include "tools/program.h"
#include "tools/record/record.h"

namespace tputwin::tools {
namespace {

// Kernels were written by this command before tputwin pack was there.
int record(const std::string& output, const std::vector<std::string>& words) {
  if (!output.ends_with(kRunSuffix))
    fmt::print(stderr,
               "tputwin: hint: tputwin pack -o {} -- PROGRAM writes kernels into a bmodel\n",
               output);
  auto program = program_of(words);
  if (!program.ok()) return fail("tputwin", program.error());
  auto recording = record_program(output, *program);
  if (!recording.ok()) return fail("tputwin", recording.error());
  if (!recording->path.empty()) fmt::print(stderr, "recorded {}\n", recording->path);
  return recording->exit_code;
}

}  // namespace

void add_record(CLI::App& app, int& exit) {
  auto* sub = app.add_subcommand("record", "Record the run of a program or a model in a file");
  auto output = std::make_shared<std::string>();
  auto program = std::make_shared<std::vector<std::string>>();
  sub->add_option("-o,--output", *output, "FILE.tprec, for tputwin replay, diff and check")
      ->required();
  sub->add_option("PROGRAM", *program,
                  "a host program with its arguments, or a model (.bmodel) with the options of "
                  "tputwin run, after --")
      ->required();
  sub->footer(
      footer("  tputwin record -o run.tprec -- ./host 100\n"
             "  tputwin record -o run.tprec -- net.bmodel --input image.bin\n"));
  sub->callback([=, &exit] { exit = record(*output, *program); });
}

}  // namespace tputwin::tools
