// Values of tensors: as arrays of numpy, as text, made up.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bmodel/bm168x/model.h"
#include "tools/bm168x/npy.h"

namespace tputwin::tools {

// The bytes of a tensor that an array becomes: as they are if the types are the same; else numbers,
// of floats for an integer tensor multiplied by its scale, rounded to nearest even, the zero point
// added, and clamped.
Result<std::vector<uint8_t>> tensor_of(const Array& array, const bmodel::bm168x::TensorT& tensor);
// The reverse. `as_float`: fp32, integers dequantized: (value - zero point) x scale; else of the
// tensor's type (bf16 as fp32, 4 bits as bytes).
Array array_of(std::span<const uint8_t> bytes, const bmodel::bm168x::TensorT& tensor,
               bool as_float);
// Numbers that the same seed makes again: floats from -1 to 1, integers of all bits.
std::vector<uint8_t> made_up(const bmodel::bm168x::TensorT& tensor, uint64_t seed);
// Element `index`.
double value_at(std::span<const uint8_t> bytes, bmodel::bm168x::ElementType type, uint64_t index);

// "output  NAME fp32(1,10): 0.1 0.2 ...", a line.
std::string output_text(const bmodel::bm168x::TensorT& tensor, std::span<const uint8_t> bytes);

}  // namespace tputwin::tools
