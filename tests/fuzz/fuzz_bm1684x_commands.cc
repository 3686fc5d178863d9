// Commands of the BM1684X: any bytes of one engine's stream, numbers aside.
#include <algorithm>
#include <cstring>

#include "fuzz/bm1684x_bodies.h"
#include "fuzz/bm1684x_small.h"
#include "fuzz/targets.h"
#include "isa/streams/encode.h"
#include "isa/streams/stream.h"
#include "machine/command_group.h"

namespace tputwin::fuzz {
namespace {

// Work above this is left out: a handful of bytes can ask for hours of it.
constexpr uint64_t kMaxWork = 1 << 16;
constexpr uint64_t kGlobalBytes = 1 << 18;

std::unique_ptr<Device> device_of(Body body) {
  const DeviceOptions options{
      .chip = &small_bm1684x(), .global_bytes = kGlobalBytes, .body = body, .poison = false};
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

}  // namespace

bool bodies_agree(std::span<const Instruction> program) {
  static const auto fast = device_of(Body::automatic), reference = device_of(Body::reference);
  run(*fast, program);
  run(*reference, program);
  return equal_memories(*fast, *reference);
}

namespace {

bool affordable(const Instruction& instruction) {
  const Cost price = cost(instruction.op, small_bm1684x());
  return price.macs <= kMaxWork && price.global_bytes <= kMaxWork && price.local_bytes <= kMaxWork;
}

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
  return check(in.op, small_bm1684x()).ok() &&
         check_bounds(in.op, small_bm1684x(), kGlobalBytes).ok() && affordable(in);
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
