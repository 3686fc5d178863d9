// Packs and unpacks descriptors by the field tables.
#include "isa/bm1880_descriptor.h"

#include <algorithm>
#include <array>

#include "isa/fields.h"

namespace tputwin::isa {
namespace {

// Returns true if every bit of the descriptor belongs to exactly one field.
template <size_t words>
constexpr bool covers_every_bit_once(std::span<const Field> fields) {
  std::array<uint64_t, words> seen{};
  for (const Field& field : fields) {
    for (const Bits& bits : {field.low, field.high}) {
      uint64_t mask = bits.mask() << bits.first;
      if (mask >> 32 || (seen[bits.word] & mask)) return false;
      seen[bits.word] |= mask;
    }
  }
  return std::all_of(seen.begin(), seen.end(), [](uint64_t word) { return word == 0xffffffff; });
}
static_assert(std::size(kBdFields) == 96 && covers_every_bit_once<kBdBytes / 4>(kBdFields));
static_assert(std::size(kGdmaFields) == 40 && covers_every_bit_once<kGdmaBytes / 4>(kGdmaFields));

template <unsigned word, unsigned bit, unsigned width>
void put(uint32_t* words, uint64_t value) {
  constexpr uint64_t mask = (uint64_t{1} << width) - 1;
  words[word] |= static_cast<uint32_t>((value & mask) << bit);
}

template <unsigned word, unsigned bit, unsigned width>
uint64_t get(const uint32_t* words) {
  constexpr uint64_t mask = (uint64_t{1} << width) - 1;
  return words[word] >> bit & mask;
}

}  // namespace

#define TW_FIELD(name, word, bit, width, reset) put<word, bit, width>(words, d.name);
#define TW_FIELD2(name, word, bit, width, word2, bit2, width2, reset) \
  put<word, bit, width>(words, d.name);                               \
  put<word2, bit2, width2>(words, uint64_t{d.name} >> width);
void pack(const BdDescriptor& d, std::span<uint8_t, kBdBytes> bytes) {
  uint32_t words[kBdBytes / 4] = {};
#include "isa/bd_fields.def"
  std::memcpy(bytes.data(), words, sizeof words);
}

void pack(const GdmaDescriptor& d, std::span<uint8_t, kGdmaBytes> bytes) {
  uint32_t words[kGdmaBytes / 4] = {};
#include "isa/gdma_fields.def"
  std::memcpy(bytes.data(), words, sizeof words);
}
#undef TW_FIELD
#undef TW_FIELD2

#define TW_FIELD(name, word, bit, width, reset) \
  d.name = static_cast<decltype(d.name)>(get<word, bit, width>(words));
#define TW_FIELD2(name, word, bit, width, word2, bit2, width2, reset)   \
  d.name = static_cast<decltype(d.name)>(get<word, bit, width>(words) | \
                                         get<word2, bit2, width2>(words) << width);
BdDescriptor unpack_bd(std::span<const uint8_t, kBdBytes> bytes) {
  uint32_t words[kBdBytes / 4];
  std::memcpy(words, bytes.data(), sizeof words);
  BdDescriptor d;
#include "isa/bd_fields.def"
  return d;
}

GdmaDescriptor unpack_gdma(std::span<const uint8_t, kGdmaBytes> bytes) {
  uint32_t words[kGdmaBytes / 4];
  std::memcpy(words, bytes.data(), sizeof words);
  GdmaDescriptor d;
#include "isa/gdma_fields.def"
  return d;
}
#undef TW_FIELD
#undef TW_FIELD2

void pack(const CpuDescriptor& d, std::span<uint8_t> bytes) {
  const uint32_t head[] = {d.op_type,     d.bd_count,  d.gdma_count, d.bd_offset,
                           d.gdma_offset, d.reserved0, d.reserved1};
  static_assert(sizeof head == kCpuHeadBytes);
  std::memcpy(bytes.data(), head, sizeof head);
  std::copy(d.payload.begin(), d.payload.end(), bytes.begin() + kCpuHeadBytes);
}

CpuDescriptor unpack_cpu(std::span<const uint8_t> bytes) {
  auto word = [&](size_t index) { return load_word(bytes.data(), index); };
  return {.op_type = word(0),
          .bd_count = word(1),
          .gdma_count = word(2),
          .bd_offset = word(3),
          .gdma_offset = word(4),
          .reserved0 = word(5),
          .reserved1 = word(6),
          .payload = {bytes.begin() + kCpuHeadBytes, bytes.end()}};
}

}  // namespace tputwin::isa
