// tputwin record: a host program whose kernels become the nets of a bmodel.
#include <fmt/format.h>

#include <cstdio>

#include "tools/commands/command.h"
#include "tools/record.h"

namespace tputwin::tools {
namespace {

int record(const std::string& output, const std::vector<std::string>& program) {
  auto recording = record_program(output, program);
  if (!recording.ok()) return fail("tputwin", recording.error());
  fmt::print(stderr, "recorded {}\n", recording->model);
  return recording->exit_code;
}

}  // namespace

void add_record(CLI::App& app, int& exit) {
  auto* sub = app.add_subcommand("record", "Record the TPUKernel kernels of a program in a bmodel");
  auto output = std::make_shared<std::string>();
  auto program = std::make_shared<std::vector<std::string>>();
  sub->add_option("-o,--output", *output,
                  "the bmodel; or a folder (FOLDER/): a context directory for bmrt_test, with the "
                  "recorded inputs and outputs")
      ->required();
  sub->add_option("PROGRAM", *program, "a host program with its arguments, after --")->required();
  sub->footer(
      footer("  tputwin record -o kernels.bmodel -- ./host 100\n"
             "  tputwin record -o recorded/ -- ./host && bmrt_test --context_dir recorded\n"));
  sub->callback([=, &exit] { exit = record(*output, *program); });
}

}  // namespace tputwin::tools
