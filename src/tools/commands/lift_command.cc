// tputwin lift: converts a network of a bmodel to a kernel in C.
#include <fmt/format.h>

#include <filesystem>

#include "base/errors/tools.h"
#include "base/file.h"
#include "bmodel/open.h"
#include "tools/commands/command.h"
#include "tools/lift/lift.h"
#include "tools/reports/json.h"

namespace tputwin::tools {
namespace {

Status write_text(const std::string& path, const std::string& text) {
  return write_bytes(path, {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

struct LiftCommand {
  std::string path, output, host;
  lift::Options options;
  bool json = false;
};

Result<std::string> lift_file(LiftCommand command) {
  TW_ASSIGN_OR_RETURN(file, bmodel::open_file(command.path));
  const auto* model = file.bm168x();
  if (model == nullptr) return Error(errors::cli_bm168x).argument("FILE", command.path);
  command.options.model = std::filesystem::path(command.path).filename().string();
  command.options.binary_at =
      static_cast<uint64_t>(model->binary.data() - file.file->bytes().data());
  TW_ASSIGN_OR_RETURN(program, lift::lift(*model, command.options));
  TW_RETURN_IF_ERROR(write_text(command.output, program.kernel));
  if (!command.host.empty()) TW_RETURN_IF_ERROR(write_text(command.host, program.host));
  const lift::Tally& tally = program.tally;
  if (command.json)
    return Json{{"kernel", command.output},
                {"commands", tally.commands},
                {"without_call", tally.raw},
                {"sections", tally.sections},
                {"parts", tally.parts}}
               .dump(2) +
           "\n";
  return fmt::format("{}: {} commands, {} of them without a call, in {} sections and {} parts\n",
                     command.output, tally.commands, tally.raw, tally.sections, tally.parts);
}

}  // namespace

void add_lift(CLI::App& app, int& exit) {
  auto* sub = app.add_subcommand("lift", "Write a network as a kernel in C, a call a command");
  auto command = std::make_shared<LiftCommand>();
  sub->add_option("FILE", command->path, "bmodel of the BM1684 or BM1684X")->required();
  sub->add_option("--net", command->options.net, "this net, if there are several");
  sub->add_option("--stage", command->options.stage, "this stage of the net, from 0");
  sub->add_option("-o,--output", command->output, "the kernel")->required();
  sub->add_option("--host", command->host,
                  "also a program that brings weights and inputs, and launches the kernel");
  sub->add_option("--kernel", command->options.kernel, "the kernel's name, else lifted_NET");
  sub->add_flag("--json", command->json, "print the counts as JSON");
  sub->footer(footer("  tputwin lift net.bmodel --net resnet -o kernel.c --host main.c\n"));
  sub->callback([command, &exit] { exit = print(lift_file(*command), command->path); });
}

}  // namespace tputwin::tools
