// Commands of the BM1684X and BM1684 as seeds: those of random operations of every kind.
#include "fuzz/small_chips.h"
#include "fuzz/stream_mutator.h"
#include "fuzz/targets.h"
#include "isa/streams/encode.h"
#include "isa/streams/stream.h"
#include "selftest/random_operation.h"

namespace tputwin::fuzz {

// Returns one operation of each kind alone, and all of an engine in sequence.
std::vector<Bytes> bm1684x_command_seeds() {
  constexpr uint64_t kTries = 8;
  const Chip& chip = small_bm1684x();
  std::vector<Bytes> seeds;
  Bytes all[2] = {{0}, {1}};
  for (auto kind : testing::all_operation_kinds()) {
    if (testing::family_of(kind) != ChipFamily::bm1684x) continue;
    for (uint64_t seed = 0; seed < kTries; ++seed) {
      testing::Rng rng(seed);
      const Operation op = random_operation(rng, kind, chip);
      const auto bytes = isa::encode_command({.op = op, .engine = engine(op), .id = 1}, chip);
      if (!bytes.ok()) continue;
      const uint8_t dma = engine(op) == Engine::dma;
      Bytes one{dma};
      one.insert(one.end(), bytes->begin(), bytes->end());
      if (!is_bm1684x_command(one)) continue;
      all[dma].insert(all[dma].end(), bytes->begin(), bytes->end());
      seeds.push_back(one);
    }
  }
  seeds.insert(seeds.end(), std::begin(all), std::end(all));
  return seeds;
}

namespace {

// Returns groups of six operations, in which engines wait for each other.
std::vector<Bytes> stream_seeds(const Chip& chip, bool (*accepts)(std::span<const uint8_t>)) {
  constexpr uint64_t kGroups = 60;
  constexpr size_t kCommands = 6;
  std::vector<testing::OperationKind> kinds;
  for (auto kind : testing::all_operation_kinds())
    if (testing::family_of(kind) == chip.family) kinds.push_back(kind);
  std::vector<Bytes> seeds;
  for (uint64_t seed = 0; seed < kGroups; ++seed) {
    testing::Rng rng(seed);
    std::vector<Instruction> program;
    uint32_t numbers[2] = {};
    while (program.size() < kCommands) {
      Instruction in{.op = random_operation(rng, kinds[rng.below(kinds.size())], chip)};
      in.engine = engine(in.op);
      const bool moves = in.engine == Engine::dma;
      in.id = numbers[moves] + 1;
      in.wait = numbers[!moves];
      if (!isa::encode_command(in, chip).ok()) continue;
      ++numbers[moves];
      program.push_back(std::move(in));
    }
    const auto streams = isa::encode_streams(program, chip);
    if (!streams.ok()) continue;
    Bytes input = join_streams(streams->tiu, streams->gdma);
    if (accepts(input)) seeds.push_back(std::move(input));
  }
  return seeds;
}

}  // namespace

std::vector<Bytes> bm1684x_stream_seeds() {
  return stream_seeds(small_bm1684x(), is_bm1684x_streams);
}
std::vector<Bytes> bm1684_stream_seeds() { return stream_seeds(small_bm1684(), is_bm1684_streams); }

}  // namespace tputwin::fuzz
