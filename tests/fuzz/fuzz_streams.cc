// Command groups of the BM1684X: both streams, in their order.
#include "bmodel/little_endian.h"
#include "fuzz/bm1684x_bodies.h"
#include "fuzz/bm1684x_small.h"
#include "fuzz/stream_mutator.h"
#include "fuzz/targets.h"
#include "isa/streams/encode.h"

namespace tputwin::fuzz {
namespace {

Result<std::vector<Instruction>> decode(std::span<const uint8_t> input) {
  const StreamBytes streams = split_streams(input);
  return isa::decode_streams({streams.tiu, streams.gdma}, small_bm1684x());
}

}  // namespace

bool is_bm1684x_streams(std::span<const uint8_t> input) { return decode(input).ok(); }

std::string fuzz_bm1684x_streams(std::span<const uint8_t> input) {
  const auto program = decode(input);
  if (!program.ok()) return "";
  bool runs = !program->empty();
  for (const Instruction& instruction : *program) {
    static_cast<void>(isa::stream_text(instruction, small_bm1684x()));
    if (!comes_back(instruction)) return "a command comes back different";
    runs = runs && is_runnable(instruction);
  }
  return runs && !bodies_agree(*program) ? "fast and reference bodies disagree" : "";
}

}  // namespace tputwin::fuzz
