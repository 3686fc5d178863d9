// Patch: bytes of a device's memories at some moment, which can be written back.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "memory/memory.h"
#include "ops/contract/contract.h"

namespace tputwin::debug {

// Returns the address of the bytes of a range in host memory.
uint8_t* bytes_at(const Memory& memory, const ByteRange& range);
bool overlap(const ByteRange& a, const ByteRange& b);
uint64_t bytes_in(std::span<const ByteRange> ranges);

class Patch {
 public:
  Patch() = default;
  // Copies the current bytes. The ranges must be sorted and merged, as in footprints.
  Patch(const Memory& memory, std::vector<ByteRange> ranges);
  // Keeps `bytes`, which must hold the bytes of the first range, then those of the second, ...
  Patch(std::vector<ByteRange> ranges, std::vector<uint8_t> bytes);

  void apply(const Memory& memory) const;
  // Merges patches. Each byte comes from the first patch that has it.
  static Patch first_of(std::span<const Patch* const> patches);
  // Compresses the bytes.
  void pack();
  // Returns the memory that the patch takes, in bytes.
  uint64_t cost() const { return ranges_.size() * sizeof(ByteRange) + bytes_.size(); }
  std::span<const ByteRange> ranges() const { return ranges_; }

 private:
  std::vector<uint8_t> unpacked() const;

  std::vector<ByteRange> ranges_;
  std::vector<uint8_t> bytes_;
  uint64_t size_ = 0;  // uncompressed
  bool is_packed_ = false;
};

}  // namespace tputwin::debug
