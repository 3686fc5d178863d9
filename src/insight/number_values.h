// Values of operands: which are no numbers, and what they were before a command overwrote them.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "machine/device.h"
#include "numerics/number_bits.h"

namespace tputwin::insight {

// The memories of a device, to be read only.
Memory memory_to_read(const Device& device);

// The bytes of an element, of a type whose bytes lie together.
ByteRange range_of(const Memory& memory, const TensorView& view, const Shape& index);

// Whether all elements of a view of a floating-point type are finite, as fast as bytes can be read.
bool all_finite(const Memory& memory, const Chip& chip, const TensorView& view);

// Whether an operation computes numbers, rather than moving them, and its constants are finite.
bool computes_numbers(const Operation& op);

// The operands of a command that overwrites some of them.
class OperandCopy {
 public:
  // Before it runs; only of one that computes numbers of a floating-point type.
  void take(const Device& device, const Operation& op, const Footprint& touched);
  bool is_taken() const { return is_taken_; }
  void drop() { is_taken_ = false; }
  // An element as it was, of a type of at most 32 bits whose bytes lie together.
  int32_t read(const Memory& memory, const TensorView& view, const Shape& index) const;

 private:
  struct Piece {
    const uint8_t* at;
    std::vector<uint8_t> bytes;
  };
  std::vector<Piece> pieces_;
  bool is_taken_ = false;
};

}  // namespace tputwin::insight
