// Instructions of small chips, there and back through their commands, and on two devices.
#include "fuzz/bodies.h"

#include <cstring>
#include <map>

#include "isa/streams/encode.h"
#include "machine/command_group.h"

namespace tputwin::fuzz {
namespace {

// Work above this is left out: a handful of bytes can ask for hours of it.
constexpr uint64_t kMaxWork = 1 << 16;
constexpr uint64_t kGlobalBytes = 1 << 18;

std::unique_ptr<Device> device_of(const Chip& chip, Body body) {
  const DeviceOptions options{
      .chip = &chip, .global_bytes = kGlobalBytes, .body = body, .poison = false};
  return std::move(Device::create(options).value());
}

// Bytes that depend on nothing but their position, so that an input alone reproduces a finding.
void fill(uint8_t* memory, uint64_t bytes) {
  for (uint64_t i = 0; i < bytes; ++i) memory[i] = static_cast<uint8_t>(i * 0x9e3779b1u >> 13);
}

void run(Device& device, std::span<const Instruction> program) {
  fill(device.local().data(), device.local().size());
  fill(device.global().data(), device.global().size());
  for (Instruction instruction : program) {  // each by itself, whatever it waits for
    instruction.id = 1;
    instruction.wait = 0;
    static_cast<void>(run_command_group(device, {&instruction, 1}));
    device.clear_error();
  }
}

bool equal_memories(Device& a, Device& b) {
  return std::memcmp(a.local().data(), b.local().data(), a.local().size()) == 0 &&
         std::memcmp(a.global().data(), b.global().data(), a.global().size()) == 0;
}

struct Devices {
  std::unique_ptr<Device> fast, reference;
};

bool affordable(const Instruction& instruction, const Chip& chip) {
  const Cost price = cost(instruction.op, chip);
  return price.macs <= kMaxWork && price.global_bytes <= kMaxWork && price.local_bytes <= kMaxWork;
}

}  // namespace

bool bodies_agree(std::span<const Instruction> program, const Chip& chip) {
  static std::map<const Chip*, Devices> all;
  Devices& devices = all[&chip];
  if (devices.fast == nullptr)
    devices = {device_of(chip, Body::automatic), device_of(chip, Body::reference)};
  run(*devices.fast, program);
  run(*devices.reference, program);
  return equal_memories(*devices.fast, *devices.reference);
}

bool comes_back(const Instruction& in, const Chip& chip) {
  const auto bytes = isa::encode_command(in, chip);
  if (!bytes.ok()) return true;
  const auto back = in.engine == Engine::dma ? isa::decode_gdma_command(*bytes, chip)
                                             : isa::decode_tiu_command(*bytes, chip);
  return back.ok() && describe(back->instruction.op) == describe(in.op);
}

bool is_runnable(const Instruction& in, const Chip& chip) {
  return check(in.op, chip).ok() && check_bounds(in.op, chip, kGlobalBytes).ok() &&
         affordable(in, chip);
}

}  // namespace tputwin::fuzz
