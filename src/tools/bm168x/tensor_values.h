// Values of tensors: as arrays of numpy, as text, at random.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bmodel/bm168x/model.h"
#include "tools/bm168x/npy.h"

namespace tputwin::tools {

// Returns the bytes of a tensor with the values of an array. Equal types are copied. Otherwise
// numbers are converted: floats for an integer tensor are multiplied by its scale and rounded to
// nearest even, then the zero point is added and the result is clamped. Integers must be numbers of
// the tensor's type; fp16 and bf16 round them.
Result<std::vector<uint8_t>> tensor_of(const Array& array, const bmodel::bm168x::TensorT& tensor);
// Returns the array of a tensor's values. `as_float`: fp32, with integers dequantized, (value -
// zero point) x scale. Otherwise it has the tensor's type (bf16 as fp32, 4 bits as bytes).
Array array_of(std::span<const uint8_t> bytes, const bmodel::bm168x::TensorT& tensor,
               bool as_float);
// Returns random numbers, reproducible by their seed: floats from -1 to 1, integers of all bits;
// of 32 bits, which often are positions, 0 and 1.
std::vector<uint8_t> synthetic(const bmodel::bm168x::TensorT& tensor, uint64_t seed);
// Returns whole numbers from 0 to `count` - 1, as far as the type has them.
std::vector<uint8_t> synthetic_positions(const bmodel::bm168x::TensorT& tensor, uint64_t seed,
                                         uint64_t count);
// The images that regions are in, in pixels.
struct RegionMaps {
  uint64_t columns;  // of a region: 4 for a box, 5 with the number of its image first
  uint64_t images;
  double height, width;
};
// Returns boxes (left, top, right, bottom) in whole pixels, each of one image.
std::vector<uint8_t> synthetic_regions(const bmodel::bm168x::TensorT& tensor, uint64_t seed,
                                       const RegionMaps& maps);
// Returns element `index` of numpy's type: f, i, u or b of `size` bytes. Booleans are 0 or 1.
double number_at(std::span<const uint8_t> bytes, char kind, uint32_t size, uint64_t index);
// Returns element `index`.
double value_at(std::span<const uint8_t> bytes, bmodel::bm168x::ElementType type, uint64_t index);

// Returns the line "output  NAME fp32(1,10): 0.1 0.2 ...".
std::string output_text(const bmodel::bm168x::TensorT& tensor, std::span<const uint8_t> bytes);

}  // namespace tputwin::tools
