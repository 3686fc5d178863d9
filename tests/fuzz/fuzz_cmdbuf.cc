// Command buffers of the BM1880.
#include <algorithm>

#include "fuzz/device_pair.h"
#include "fuzz/targets.h"
#include "isa/bm1880_codec.h"
#include "isa/text.h"

namespace tputwin::fuzz {
namespace {

constexpr uint64_t kMaxWork = 1 << 17;
constexpr uint64_t kGlobalBytes = 1 << 20;

bool kernels_agree(std::span<const Instruction> program) {
  static DevicePair pair(bm1880(), kGlobalBytes);
  return pair.agree([&](Device& device) { (void)device.run(program); });
}

}  // namespace

std::string fuzz_cmdbuf(std::span<const uint8_t> input) {
  auto commands = isa::decode_commands(input, bm1880(), true);
  auto program = isa::decode_program(input, bm1880());
  if (commands.ok() != program.ok()) return "decode_commands and decode_program disagree";
  if (!commands.ok()) return "";
  Bytes encoded = isa::encode_commands(*commands, bm1880());
  if (!std::ranges::equal(encoded, input)) return "encoding is not the inverse of decoding";

  for (const isa::Command& command : *commands) (void)isa::to_text(command);
  (void)isa::to_json(*commands);

  std::vector<Instruction> runnable;
  for (const Instruction& instruction : *program) {
    if (!is_legal(instruction.op, bm1880(), kGlobalBytes)) continue;
    (void)footprint(instruction.op, bm1880());
    if (is_affordable(instruction.op, bm1880(), kMaxWork)) runnable.push_back(instruction);
  }
  if (!runnable.empty() && !kernels_agree(runnable)) return "fast and reference kernels disagree";
  Bytes copy(input.begin(), input.end());
  (void)isa::relocate(copy, 0x1000, 0x2000);
  return "";
}

}  // namespace tputwin::fuzz
