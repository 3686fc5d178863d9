// Codes in the fields of the BM1684's GDMA commands.
#pragma once

#include <cstdint>

namespace tputwin::isa::bm1684_streams {

enum Direction : uint8_t { kSystemToLocal, kLocalToSystem, kSystemToSystem, kLocalToLocal };
enum SpecialFunction : uint8_t {
  kTensor = 0,
  kTranspose = 1,
  kShifted = 2,
  kConvert = 3,
  kFill = 4,
  kTransposeMatrix = 5
};
// Bit-wise copies treat 3 like 2. Conversions use them for unsigned and signed bytes.
enum DataFormat : uint8_t { k32Bits = 0, k16Bits = 1, kBytes = 2, kSecondBytes = 3 };

}  // namespace tputwin::isa::bm1684_streams
