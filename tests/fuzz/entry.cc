// libFuzzer's entry point of one target.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "fuzz/onnx_seeds.h"
#include "fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string problem = tputwin::fuzz::FUZZ_TARGET({data, size});
  if (problem.empty()) return 0;
  std::fprintf(stderr, "%s\n", problem.c_str());
  std::abort();
}

// Half of the changes are the target's own, half libFuzzer's.
extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t most);
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
  for (const auto& target : tputwin::fuzz::targets()) {
    if (target.run != tputwin::fuzz::FUZZ_TARGET || target.mutate == nullptr || seed % 2 != 0)
      continue;
    const tputwin::fuzz::Bytes changed = target.mutate({data, size}, seed);
    if (changed.size() > most) break;
    std::copy(changed.begin(), changed.end(), data);
    return changed.size();
  }
  return LLVMFuzzerMutate(data, size, most);
}
