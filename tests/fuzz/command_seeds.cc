// Commands of the BM1684X for the fuzzer: those of random operations of every kind.
#include "fuzz/bm1684x_small.h"
#include "fuzz/targets.h"
#include "isa/streams/encode.h"
#include "isa/streams/stream.h"
#include "selftest/random_operation.h"

namespace tputwin::fuzz {

// One operation of each kind by itself, and all of an engine one after the other.
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

}  // namespace tputwin::fuzz
