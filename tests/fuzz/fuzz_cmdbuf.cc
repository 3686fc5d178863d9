#include <algorithm>
#include <cstring>

#include "fuzz/targets.h"
#include "isa/bm1880_codec.h"
#include "isa/text.h"
#include "machine/device.h"

namespace tputwin::fuzz {
namespace {

// Work above this is left out: a handful of bytes can ask for hours of it.
constexpr uint64_t kMaxWork = 1 << 17;
constexpr uint64_t kGlobalBytes = 1 << 20;

std::unique_ptr<Device> small_device(Body body) {
  return std::move(Device::create({.global_bytes = kGlobalBytes, .body = body}).value());
}

// Bytes that depend on nothing but their position, so that an input alone reproduces a finding.
const Bytes& initial_bytes() {
  static const Bytes bytes = [] {
    Bytes pattern(std::max(bm1880().local_bytes(), kGlobalBytes));
    for (size_t i = 0; i < pattern.size(); ++i)
      pattern[i] = static_cast<uint8_t>(i * 0x9e3779b1u >> 13);
    return pattern;
  }();
  return bytes;
}

void run(Device& device, std::span<const Instruction> program) {
  std::memcpy(device.local().data(), initial_bytes().data(), device.local().size());
  std::memcpy(device.global().data(), initial_bytes().data(), device.global().size());
  (void)device.run(program);
  device.clear_error();
}

bool equal_memories(Device& a, Device& b) {
  return std::memcmp(a.local().data(), b.local().data(), a.local().size()) == 0 &&
         std::memcmp(a.global().data(), b.global().data(), a.global().size()) == 0;
}

// The fast bodies leave the bytes of the reference bodies, whatever the operands.
bool bodies_agree(std::span<const Instruction> program) {
  static const auto fast = small_device(Body::automatic), reference = small_device(Body::reference);
  run(*fast, program);
  run(*reference, program);
  return equal_memories(*fast, *reference);
}

bool affordable(const Instruction& instruction) {
  Cost price = cost(instruction.op, bm1880());
  return price.macs <= kMaxWork && price.global_bytes <= kMaxWork && price.local_bytes <= kMaxWork;
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
    if (!check(instruction.op, bm1880()).ok()) continue;
    if (!check_bounds(instruction.op, bm1880(), kGlobalBytes).ok()) continue;
    (void)footprint(instruction.op, bm1880());
    if (affordable(instruction)) runnable.push_back(instruction);
  }
  if (!runnable.empty() && !bodies_agree(runnable)) return "fast and reference bodies disagree";
  Bytes copy(input.begin(), input.end());
  (void)isa::relocate(copy, 0x1000, 0x2000);
  return "";
}

}  // namespace tputwin::fuzz
