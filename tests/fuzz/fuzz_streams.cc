// Command groups of the BM1684X and BM1684: both streams, in their order.
#include "fuzz/compare_kernels.h"
#include "fuzz/small_chips.h"
#include "fuzz/stream_mutator.h"
#include "fuzz/targets.h"

namespace tputwin::fuzz {
namespace {

Result<std::vector<Instruction>> decode(std::span<const uint8_t> input, const Chip& chip) {
  const StreamBytes streams = split_streams(input);
  return isa::decode_streams({streams.tiu, streams.gdma}, chip);
}

std::string fuzz(std::span<const uint8_t> input, const Chip& chip) {
  const auto program = decode(input, chip);
  if (!program.ok()) return "";
  bool runs = !program->empty();
  for (const Instruction& instruction : *program) {
    static_cast<void>(isa::stream_text(instruction, chip));
    if (auto change = changed_by_encoding(instruction, chip); !change.empty()) return change;
    runs = runs && is_runnable(instruction, chip);
  }
  return runs && !kernels_agree(*program, chip) ? "fast and reference kernels disagree" : "";
}

}  // namespace

bool is_bm1684x_streams(std::span<const uint8_t> input) {
  return decode(input, small_bm1684x()).ok();
}
bool is_bm1684_streams(std::span<const uint8_t> input) {
  return decode(input, small_bm1684()).ok();
}

std::string fuzz_bm1684x_streams(std::span<const uint8_t> input) {
  return fuzz(input, small_bm1684x());
}
std::string fuzz_bm1684_streams(std::span<const uint8_t> input) {
  return fuzz(input, small_bm1684());
}

}  // namespace tputwin::fuzz
