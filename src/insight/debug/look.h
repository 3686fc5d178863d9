// Look: tensors and bytes as text and as pictures.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "insight/debug/names.h"

namespace tputwin::debug {

// An element as people read it.
std::string element_text(int32_t bits, DType dtype);
double element_value(int32_t bits, DType dtype);

// Values, plane by plane; `all`: also what would take many lines.
std::string tensor_text(const NamedView& tensor, const Memory& memory, bool all);
std::string hex_text(const std::vector<ByteRange>& ranges, const Memory& memory, bool all);
// Number, smallest, largest, mean, zeros, those at the limits of their type, NaN.
std::string statistics_text(const NamedView& tensor, const Memory& memory);
// In which lanes and banks the bytes of a tensor lie.
std::string lanes_text(const NamedView& tensor, const Memory& memory, const Chip& chip);

// An image of a tensor: three channels are colours, else one plane is grey; values that are no
// bytes are spread from the smallest to the largest.
struct Picture {
  uint32_t width = 0, height = 0;
  std::vector<uint8_t> rgb;
};
Picture picture_of(const TensorView& view, const Memory& memory, uint32_t n, uint32_t c);
// For a terminal: half blocks in 24 bits of colour, or characters from dark to bright.
std::string terminal_text(const Picture& picture, bool colour);

}  // namespace tputwin::debug
