// tputwin pack: the TPUKernel kernels of a program as the nets of a bmodel.
#include <fmt/format.h>

#include <cstdio>

#include "base/errors/tools.h"
#include "tools/commands/command.h"
#include "tools/program.h"
#include "tools/record/record.h"

namespace tputwin::tools {
namespace {

int pack(const std::string& output, const std::vector<std::string>& words) {
  if (output.ends_with(kRunSuffix))
    return fail("tputwin", Error(errors::cli_usage)
                               .argument("--output", output)
                               .detail("tputwin record writes runs; give a .bmodel or a folder"));
  auto program = program_of(words);
  if (!program.ok()) return fail("tputwin", program.error());
  auto packed = record_program(output, *program);
  if (!packed.ok()) return fail("tputwin", packed.error());
  if (!packed->path.empty()) fmt::print(stderr, "packed {}\n", packed->path);
  return packed->exit_code;
}

}  // namespace

void add_pack(CLI::App& app, int& exit) {
  auto* sub = app.add_subcommand("pack", "Write the TPUKernel kernels of a program into a bmodel");
  auto output = std::make_shared<std::string>();
  auto program = std::make_shared<std::vector<std::string>>();
  sub->add_option("-o,--output", *output,
                  "bmodel to write; or a folder (FOLDER/): a context directory for bmrt_test, with "
                  "the recorded inputs and outputs")
      ->required();
  sub->add_option("PROGRAM", *program, "a host program of the BM1684X with its arguments, after --")
      ->required();
  sub->footer(
      footer("  tputwin pack -o kernels.bmodel -- ./host 100\n"
             "  tputwin pack -o recorded/ -- ./host && bmrt_test --context_dir recorded\n"));
  sub->callback([=, &exit] { exit = pack(*output, *program); });
}

}  // namespace tputwin::tools
