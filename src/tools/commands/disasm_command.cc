// tputwin disasm: prints the instructions of a model.
#include "bmodel/file_kind.h"
#include "bmodel/open.h"
#include "tools/bm168x/info168x.h"
#include "tools/commands/command.h"
#include "tools/disasm.h"
#include "tools/run.h"

namespace tputwin::tools {
namespace {

struct DisasmCommand {
  std::string path, net;
  DisasmOptions options;
  std::optional<size_t> stage;
  bool strict = false;
};

Result<Disassembly> text_of(const DisasmCommand& command) {
  TW_ASSIGN_OR_RETURN(file, MappedFile::open(command.path));
  if (!bmodel::bm168x::has_frame(file->bytes())) {
    TW_RETURN_IF_ERROR(refuse_options({{"--net", !command.net.empty()},
                                       {"--stage", command.stage.has_value()},
                                       {"--strict", command.strict}},
                                      "BM1880"));
    TW_ASSIGN_OR_RETURN(text, disassemble(file->bytes(), command.options));
    return Disassembly{std::move(text), {}};
  }
  auto opened = bmodel::bm168x::read(file->bytes());
  if (!opened.ok()) return bmodel::about_file(opened.error(), file->bytes());
  const bmodel::bm168x::File& model = *opened;
  TW_RETURN_IF_ERROR(refuse_options(
      {{"--json", command.options.json}, {"--variety", command.options.variety.has_value()}},
      model.model.chip));
  Disasm168xOptions options{.net = {}, .stage = command.stage, .strict = command.strict};
  if (!command.net.empty()) options.net = command.net;
  return disassemble(model, options);
}

// Prints the stages that can be shown, then the error of one that cannot.
int show(const DisasmCommand& command) {
  auto shown = text_of(command);
  if (!shown.ok()) return print(Result<std::string>(shown.error()), command.path);
  if (!shown->text.empty()) print(Result<std::string>(std::move(shown->text)), command.path);
  return shown->status.ok() ? kOk : print(Result<std::string>(shown->status.error()), command.path);
}

}  // namespace

void add_disasm(CLI::App& app, int& exit) {
  auto* sub = app.add_subcommand("disasm", "Print the instructions of a model, one per line");
  auto command = std::make_shared<DisasmCommand>();
  sub->add_option("FILE", command->path, "bmodel, or a bare command buffer of the BM1880")
      ->required();
  sub->add_flag("--json", command->options.json, "BM1880: as JSON");
  sub->add_option("--variety", command->options.variety,
                  "BM1880: only this one of the model's varieties, from 0");
  sub->add_option("--net", command->net, "BM1684, BM1684X: only this net");
  sub->add_option("--stage", command->stage, "BM1684, BM1684X: only this stage of a net, from 0");
  sub->add_flag("--strict", command->strict, kStrictHelp);
  sub->footer(footer("  tputwin disasm det1.bmodel\n  tputwin disasm cmdbuf.bin --json\n"));
  sub->callback([command, &exit] { exit = show(*command); });
}

}  // namespace tputwin::tools
