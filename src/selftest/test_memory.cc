// Memories that tests fill, copy and compare.
#include "selftest/test_memory.h"

#include <cstring>

namespace tputwin::testing {

TestMemory::TestMemory(const Chip& chip, uint64_t global_bytes)
    : local_(chip), global_(std::move(GlobalMemory::reserve(global_bytes).value())) {
  if (chip.l2.bytes != 0) l2_ = std::move(GlobalMemory::reserve(chip.l2.bytes).value());
  if (chip.dtcm.bytes != 0) dtcm_ = std::move(GlobalMemory::reserve(chip.dtcm.bytes).value());
}

uint8_t* TestMemory::start_of(const ByteRange& range) {
  return range.space == Space::local ? local_.lane(range.lane)
                                     : memory().system(range.space).data();
}

std::vector<std::span<uint8_t>> TestMemory::all_bytes() {
  std::vector<std::span<uint8_t>> all{local_bytes(), global_bytes()};
  for (GlobalMemory* memory : {l2_.get(), dtcm_.get()})
    if (memory != nullptr) all.push_back({memory->data(), memory->size()});
  return all;
}

void TestMemory::copy_from(TestMemory& other) {
  const auto to = all_bytes(), from = other.all_bytes();
  for (size_t i = 0; i < to.size(); ++i) std::memcpy(to[i].data(), from[i].data(), to[i].size());
}

}  // namespace tputwin::testing
