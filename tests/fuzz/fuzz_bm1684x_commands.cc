// Commands of the BM1684X: any bytes of one engine's stream; command numbers are ignored.
#include "fuzz/compare_kernels.h"
#include "fuzz/small_chips.h"
#include "fuzz/targets.h"
#include "isa/streams/stream.h"

namespace tputwin::fuzz {
namespace {

Result<isa::OneCommand> decode(bool is_dma, std::span<const uint8_t> bytes) {
  return is_dma ? isa::decode_gdma_command(bytes, small_bm1684x())
                : isa::decode_tiu_command(bytes, small_bm1684x());
}

}  // namespace

bool is_bm1684x_command(std::span<const uint8_t> input) {
  return !input.empty() && decode(input[0] != 0, input.subspan(1)).ok();
}

std::string fuzz_bm1684x_commands(std::span<const uint8_t> input) {
  const Chip& chip = small_bm1684x();
  if (input.empty()) return "";
  const bool is_dma = input[0] != 0;
  std::vector<Instruction> program;
  for (auto rest = input.subspan(1); !rest.empty();) {
    const auto one = decode(is_dma, rest);
    if (!one.ok()) break;
    rest = rest.subspan(one->bytes);
    if (one->is_end || one->is_idle) continue;
    static_cast<void>(isa::stream_text(one->instruction, chip));
    if (auto change = changed_by_encoding(one->instruction, chip); !change.empty()) return change;
    if (!is_runnable(one->instruction, chip)) continue;
    static_cast<void>(footprint(one->instruction.op, chip));
    program.push_back(one->instruction);
  }
  if (!program.empty() && !kernels_agree(program, chip))
    return "fast and reference kernels disagree";
  return "";
}

}  // namespace tputwin::fuzz
