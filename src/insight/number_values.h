// Values of operands: NaN and infinities, and values before a command overwrote them.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "machine/device.h"
#include "numerics/number_bits.h"

namespace tputwin::insight {

// Returns the memories of a device. The caller must only read them.
Memory memory_to_read(const Device& device);

// Returns the range of an element. Its type must store each element in contiguous bytes.
ByteRange range_of(const Memory& memory, const TensorView& view, const Shape& index);

// Returns true if all elements of a floating-point view are finite. Runs at memory speed.
bool all_finite(const Memory& memory, const Chip& chip, const TensorView& view);

// Returns true if an operation computes numbers, instead of moving them, and its constants are
// finite.
bool computes_numbers(const Operation& op);

// Copies of the operand bytes that a command overwrites.
class OperandCopy {
 public:
  // Copies the bytes before the command runs. Only for operations with floating-point results.
  void take(const Device& device, const Operation& op, const Footprint& touched);
  bool is_taken() const { return is_taken_; }
  void drop() { is_taken_ = false; }
  // Returns the old value of an element of at most 32 contiguous bits.
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
