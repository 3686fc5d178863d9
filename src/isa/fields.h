// The field tables as data, for residues, messages, and the check that the layout has no gaps.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace tputwin::isa {

// A range of bits of one word.
struct Bits {
  uint8_t word, first, width;
  constexpr uint64_t mask() const { return (uint64_t{1} << width) - 1; }
};

// A field of a descriptor; `high` has width 0 unless the field is split over two words.
struct Field {
  std::string_view name;
  Bits low, high;
  uint64_t reset;
};

inline constexpr Field kBdFields[] = {
#define TW_FIELD(name, word, bit, width, reset) {#name, {word, bit, width}, {0, 0, 0}, reset},
#define TW_FIELD2(name, word, bit, width, word2, bit2, width2, reset) \
  {#name, {word, bit, width}, {word2, bit2, width2}, reset},
#include "isa/bd_fields.def"
};
inline constexpr Field kGdmaFields[] = {
#include "isa/gdma_fields.def"
#undef TW_FIELD
#undef TW_FIELD2
};

// Loads and stores little-endian words at any alignment.
inline uint32_t load_word(const uint8_t* bytes, size_t word) {
  uint32_t value;
  std::memcpy(&value, bytes + 4 * word, sizeof value);
  return value;
}
inline void store_word(uint8_t* bytes, size_t word, uint32_t value) {
  std::memcpy(bytes + 4 * word, &value, sizeof value);
}

// Reads and writes a field of a packed descriptor.
inline uint64_t extract(const uint8_t* packed, const Field& f) {
  uint64_t low = load_word(packed, f.low.word) >> f.low.first & f.low.mask();
  uint64_t high = load_word(packed, f.high.word) >> f.high.first & f.high.mask();
  return low | high << f.low.width;
}
inline void insert(uint8_t* packed, const Field& f, uint64_t value) {
  for (const Bits& bits : {f.low, f.high}) {
    auto mask = static_cast<uint32_t>(bits.mask() << bits.first);
    auto field = static_cast<uint32_t>((value & bits.mask()) << bits.first);
    store_word(packed, bits.word, (load_word(packed, bits.word) & ~mask) | field);
    value >>= bits.width;
  }
}

}  // namespace tputwin::isa
