// Patch: bytes of a device's memories as they were at some moment, to be put there again.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "memory/memory.h"
#include "ops/contract/contract.h"

namespace tputwin::debug {

// Where the bytes of a range lie.
uint8_t* bytes_at(const Memory& memory, const ByteRange& range);
bool overlap(const ByteRange& a, const ByteRange& b);
uint64_t bytes_in(std::span<const ByteRange> ranges);

class Patch {
 public:
  Patch() = default;
  // The bytes that are there now; ranges as those of footprints: sorted, merged.
  Patch(const Memory& memory, std::vector<ByteRange> ranges);
  // Given bytes, one range after the other.
  Patch(std::vector<ByteRange> ranges, std::vector<uint8_t> bytes);

  void apply(const Memory& memory) const;
  // Of every byte what the first patch that has it says.
  static Patch first_of(std::span<const Patch* const> patches);
  // Takes less memory from now on.
  void pack();
  // The bytes that it takes.
  uint64_t cost() const { return ranges_.size() * sizeof(ByteRange) + bytes_.size(); }
  std::span<const ByteRange> ranges() const { return ranges_; }

 private:
  std::vector<uint8_t> unpacked() const;

  std::vector<ByteRange> ranges_;
  std::vector<uint8_t> bytes_;
  uint64_t size_ = 0;  // before they were packed
  bool is_packed_ = false;
};

}  // namespace tputwin::debug
