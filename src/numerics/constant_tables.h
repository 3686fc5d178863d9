// The constants in the static memory of the BM1684X: tables and coefficients of series as fp32 bit
// patterns. bm1684x-machine 6.
#pragma once

#include <cstdint>
#include <span>

namespace tputwin {

inline constexpr uint32_t kStaticWords = 592;
// Returns the static memory as 32-bit words; unused words are 0.
std::span<const uint32_t, kStaticWords> static_words();

// Static byte address of a table, and the number of 32-bit words that its load function takes.
struct StaticTable {
  uint32_t address, words;
};
inline constexpr StaticTable kExpTable{0x000, 192}, kExpCoeff{0x400, 32}, kLogCoeff{0x480, 32},
    kErfCoeff{0x580, 10}, kSinCoeff{0x6c0, 32}, kCosCoeff{0x740, 32}, kArcsinCoeff{0x7c0, 32},
    kTanCoeff{0x8c0, 32}, kSequence{0x5c0, 64};

}  // namespace tputwin
