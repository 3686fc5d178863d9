// Formats tensors and bytes as text and as pictures.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "insight/debug/names.h"

namespace tputwin::debug {

// Returns an element in readable form.
std::string element_text(int32_t bits, DType dtype);
double element_value(int32_t bits, DType dtype);

// Returns values, plane by plane. With `all`, long tensors are not shortened.
std::string tensor_text(const NamedView& tensor, const Memory& memory, bool all);
std::string hex_text(const std::vector<ByteRange>& ranges, const Memory& memory, bool all);
// Returns count, smallest, largest, mean, zeros, elements at limits of their type, and NaN.
std::string statistics_text(const NamedView& tensor, const Memory& memory);
// Returns the lanes and banks that hold a tensor.
std::string lanes_text(const NamedView& tensor, const Memory& memory, const Chip& chip);

// An image of a tensor. Three channels become colours, a single plane becomes grey. Values other
// than bytes are scaled from the smallest to the largest.
struct Picture {
  uint32_t width = 0, height = 0;
  std::vector<uint8_t> rgb;
};
Picture picture_of(const TensorView& view, const Memory& memory, uint32_t n, uint32_t c);
// Returns the picture for a terminal: half blocks in 24-bit colour, or characters from dark to
// bright.
std::string terminal_text(const Picture& picture, bool colour);

}  // namespace tputwin::debug
