// Disassembly: the decoded commands of each variety.
#include "tools/disasm.h"

#include <fmt/format.h>

#include "base/errors/tools.h"
#include "bmodel/bmodel.h"
#include "chip/chip.h"
#include "chip/family.h"
#include "isa/text.h"
#include "tools/model_chip.h"

namespace tputwin::tools {
namespace {

Result<std::string> commands_text(std::span<const uint8_t> cmdbuf, const Chip& chip, bool json) {
  auto commands = isa::decode_commands(cmdbuf, chip);
  if (!commands.ok()) return commands.error();
  if (json) return isa::to_json(*commands);
  std::string text;
  for (const isa::Command& command : *commands) text += isa::to_text(command) + "\n";
  return text;
}

// Returns text with a heading per variety, or JSON: an array of arrays, one per variety.
Result<std::string> model_text(const bmodel::Model& model, const DisasmOptions& options) {
  if (options.variety && *options.variety >= model.varieties.size())
    return Error(errors::cli_variety)
        .argument("--variety", std::to_string(*options.variety))
        .detail(fmt::format("the model has {}", model.varieties.size()));
  TW_ASSIGN_OR_RETURN(chip, chip_of(model));
  size_t begin = options.variety.value_or(0);
  size_t end = options.variety ? begin + 1 : model.varieties.size();
  std::string text;
  for (size_t i = begin; i < end; ++i) {
    const bmodel::Variety& variety = model.varieties[i];
    auto commands = commands_text(variety.cmdbuf, *chip, options.json);
    if (!commands.ok()) {
      Error error = commands.error();
      error.set_call_if_empty(fmt::format("varieties[{}].cmdbuf", i));
      return error;
    }
    if (options.json) {
      text += fmt::format("{}{}", i == begin ? "" : ",\n", *commands);
      continue;
    }
    text += fmt::format("; {} variety {}:", model.name, i);
    for (const auto& input : variety.inputs)
      text += fmt::format(" {}", bmodel::to_string(input.shape));
    text += fmt::format(", {} bytes of commands\n", variety.cmdbuf.size()) + *commands;
  }
  return options.json ? fmt::format("[{}]\n", text) : text;
}

}  // namespace

Result<std::string> disassemble(std::span<const uint8_t> file, const DisasmOptions& options) {
  if (!file.empty() && file[0] == isa::kHeaderMagic)
    return commands_text(file, chip_of_process(ChipFamily::bm1880), options.json);
  auto model = bmodel::read(file);
  if (!model.ok()) return model.error();
  return model_text(*model, options);
}

}  // namespace tputwin::tools
