// Instructions of small chips: encoded and decoded, and run on two devices.
#include "fuzz/compare_kernels.h"

#include <map>

#include "fuzz/device_pair.h"
#include "isa/streams/encode.h"
#include "machine/command_group.h"

namespace tputwin::fuzz {
namespace {

// Instructions with more work are skipped: a few bytes of input can require hours of work.
constexpr uint64_t kMaxWork = 1 << 16;
constexpr uint64_t kGlobalBytes = 1 << 18;

}  // namespace

bool kernels_agree(std::span<const Instruction> program, const Chip& chip) {
  static std::map<const Chip*, DevicePair> all;
  DevicePair& pair = all.try_emplace(&chip, chip, kGlobalBytes).first->second;
  return pair.agree([&](Device& device) {
    // Each runs alone, so that it waits for nothing.
    for (Instruction instruction : program) {
      instruction.id = 1;
      instruction.wait = 0;
      static_cast<void>(run_command_group(device, {&instruction, 1}));
      device.errors().clear();
    }
  });
}

std::string changed_by_encoding(const Instruction& in, const Chip& chip) {
  const auto bytes = isa::encode_command(in, chip);
  if (!bytes.ok()) return "";
  const auto back = in.engine == Engine::dma ? isa::decode_gdma_command(*bytes, chip)
                                             : isa::decode_tiu_command(*bytes, chip);
  const std::string was = describe(in.op),
                    is = back.ok() ? describe(back->instruction.op) : back.error().message();
  return is == was ? "" : "a command comes back different:\n" + was + "\n" + is;
}

bool is_runnable(const Instruction& in, const Chip& chip) {
  return is_legal(in.op, chip, kGlobalBytes) && is_affordable(in.op, chip, kMaxWork);
}

}  // namespace tputwin::fuzz
