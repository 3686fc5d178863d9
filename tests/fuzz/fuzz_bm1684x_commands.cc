// Commands of the BM1684X: any bytes of one engine's stream, numbers aside.
#include "fuzz/bm1684x_bodies.h"
#include "fuzz/bm1684x_small.h"
#include "fuzz/body_pair.h"
#include "fuzz/targets.h"
#include "isa/streams/encode.h"
#include "isa/streams/stream.h"
#include "machine/command_group.h"

namespace tputwin::fuzz {
namespace {

constexpr uint64_t kMaxWork = 1 << 16;
constexpr uint64_t kGlobalBytes = 1 << 18;

Result<isa::OneCommand> decode(bool is_dma, std::span<const uint8_t> bytes) {
  return is_dma ? isa::decode_gdma_command(bytes, small_bm1684x())
                : isa::decode_tiu_command(bytes, small_bm1684x());
}

}  // namespace

bool comes_back(const Instruction& in) {
  const auto bytes = isa::encode_command(in, small_bm1684x());
  if (!bytes.ok()) return true;
  const auto back = decode(in.engine == Engine::dma, *bytes);
  return back.ok() && describe(back->instruction.op) == describe(in.op);
}

bool is_runnable(const Instruction& in) {
  return is_legal(in.op, small_bm1684x(), kGlobalBytes) &&
         is_affordable(in.op, small_bm1684x(), kMaxWork);
}

bool bodies_agree(std::span<const Instruction> program) {
  static BodyPair pair(small_bm1684x(), kGlobalBytes);
  return pair.agree([&](Device& device) {
    for (Instruction instruction : program) {  // each by itself, whatever it waits for
      instruction.id = 1;
      instruction.wait = 0;
      static_cast<void>(run_command_group(device, {&instruction, 1}));
      device.clear_error();
    }
  });
}

bool is_bm1684x_command(std::span<const uint8_t> input) {
  return !input.empty() && decode(input[0] != 0, input.subspan(1)).ok();
}

std::string fuzz_bm1684x_commands(std::span<const uint8_t> input) {
  if (input.empty()) return "";
  const bool is_dma = input[0] != 0;
  std::vector<Instruction> program;
  for (auto rest = input.subspan(1); !rest.empty();) {
    const auto one = decode(is_dma, rest);
    if (!one.ok()) break;
    rest = rest.subspan(one->bytes);
    if (one->is_end || one->is_idle) continue;
    static_cast<void>(isa::stream_text(one->instruction, small_bm1684x()));
    if (!comes_back(one->instruction)) return "a command comes back different";
    if (!is_runnable(one->instruction)) continue;
    static_cast<void>(footprint(one->instruction.op, small_bm1684x()));
    program.push_back(one->instruction);
  }
  if (!program.empty() && !bodies_agree(program)) return "fast and reference bodies disagree";
  return "";
}

}  // namespace tputwin::fuzz
