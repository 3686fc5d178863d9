// tputwin disasm: the instructions of a model.
#include "base/file.h"
#include "tools/commands/command.h"
#include "tools/disasm.h"

namespace tputwin::tools {

void add_disasm(CLI::App& app, int& exit) {
  auto* sub = app.add_subcommand("disasm", "Print the instructions of a model, one per line");
  auto path = std::make_shared<std::string>();
  auto options = std::make_shared<DisasmOptions>();
  sub->add_option("FILE", *path, "bmodel, or a bare command buffer")->required();
  sub->add_flag("--json", options->json, "as JSON");
  sub->add_option("--variety", options->variety, "only this one of the model's varieties, from 0");
  sub->footer(footer("  tputwin disasm det1.bmodel\n  tputwin disasm cmdbuf.bin --json\n"));
  sub->callback([path, options, &exit] {
    auto file = read_bytes(*path);
    exit = file.ok() ? print(disassemble(*file, *options), *path) : fail("tputwin", file.error());
  });
}

}  // namespace tputwin::tools
