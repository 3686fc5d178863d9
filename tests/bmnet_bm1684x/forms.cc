// Forms of recorded commands.
#include "bmnet_bm1684x/forms.h"

#include <fmt/format.h>

#include "base/file.h"
#include "bmnet/targets/bm1684/target.h"
#include "bmodel/bm168x/model.h"
#include "common/recorded_commands.h"
#include "isa/streams/stream.h"

namespace tputwin::net::testing {

std::string form_of(const Instruction& instruction) {
  std::string text = fmt::format("{}", name(instruction.op));
  for (const Operand& operand : operands(instruction.op))
    text += fmt::format(" {} {} {}", operand.name, to_string(operand.view->dtype),
                        to_string(operand.view->space));
  return text;
}

void add_forms_of_networks(const std::filesystem::path& folder, const Chip& chip, Forms& forms) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".bmodel") continue;
    const auto bytes = read_bytes(entry.path().string());
    const auto file = bmodel::bm168x::read(*bytes);
    if (!file.ok() || bmodel::bm168x::chip_of(file->model) != &chip) continue;
    for (const auto& net : file->model.net)
      for (const auto& stage : net->parameter)
        for (const auto& group : stage->cmd_group) {
          const auto program = isa::decode_streams(
              {file->bytes(group->binary_bdc), file->bytes(group->binary_gdma)}, chip);
          if (!program.ok()) continue;
          for (const Instruction& i : *program) forms.insert(form_of(i));
        }
  }
}

Forms recorded_forms() {
  const std::filesystem::path conformance = TPUTWIN_SOURCE_DIR "/tests/conformance";
  Forms forms;
  tputwin::testing::for_each_recorded_command(
      conformance, [&](Engine engine, std::span<const uint8_t> bytes) {
        const auto one = engine == Engine::dma
                             ? isa::decode_gdma_command(bytes, bm1684x::bm1684x_target().chip)
                             : isa::decode_tiu_command(bytes, bm1684x::bm1684x_target().chip);
        if (one.ok() && !one->is_end && !one->is_idle) forms.insert(form_of(one->instruction));
      });
  add_forms_of_networks(conformance / "bm168x", bm1684x::bm1684x_target().chip, forms);
  return forms;
}

Forms recorded_forms_of_bm1684() {
  const Chip& chip = bm1684::bm1684_target().chip;
  const std::filesystem::path conformance = TPUTWIN_SOURCE_DIR "/tests/conformance";
  Forms forms;
  tputwin::testing::for_each_bm1684_command(
      conformance, [&](Engine engine, std::span<const uint8_t> bytes) {
        const auto one = engine == Engine::dma ? isa::decode_gdma_command(bytes, chip)
                                               : isa::decode_tiu_command(bytes, chip);
        if (one.ok() && !one->is_end && !one->is_idle) forms.insert(form_of(one->instruction));
      });
  add_forms_of_networks(conformance / "bm168x", chip, forms);
  return forms;
}

const Forms& forms_of_target() {
  static const Forms of_bm1684x = recorded_forms(), of_bm1684 = recorded_forms_of_bm1684();
  return &bm1684x::target() == &bm1684::bm1684_target() ? of_bm1684 : of_bm1684x;
}

std::string unrecorded_form(std::span<const Instruction> commands) {
  const Forms& recorded = forms_of_target();
  for (const Instruction& i : commands)
    if (std::string form = form_of(i); !recorded.contains(form)) return form;
  return "";
}

}  // namespace tputwin::net::testing
