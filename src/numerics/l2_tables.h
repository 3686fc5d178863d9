// Constants that the BM1684's firmware stores after the usable L2-SRAM: tables of functions and
// coefficients of series. "Commands of the BM1684" 6.
#pragma once

#include <cstdint>

namespace tputwin {

// Offsets in L2, as commands name them; kL2Tables is the first.
inline constexpr uint32_t kL2Tables = 0x30'0000, kL2Exp = 0x30'0400, kL2Int8 = 0x30'1300;
inline constexpr uint32_t kL2ExpCoefficients = 0x30'0c00;

// Writes the tables from `to` on, where all bytes must be zero. They take less than 1 MiB.
void fill_l2_tables(uint8_t* to);

}  // namespace tputwin
