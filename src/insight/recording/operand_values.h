// The values of a command's operands, and the comparison of one element on two sides.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "memory/memory.h"
#include "ops/operation.h"

namespace tputwin::insight::recording {

struct OperandValues {
  std::string name;
  bool is_read = false;
  TensorView view;
  std::vector<int32_t> values;  // as Memory::read returns them, w fastest
};

struct Element {
  size_t place;  // index in the values of the result
  Shape index;
  Shape of;  // shape of the result
};

// Returns for example "1.5 (0x3fc00000)", "-3", "0x1f".
std::string describe_value(int32_t value, DType dtype);
// Returns the operand element that belongs to a result element: equal indices, or 0 along axes of
// extent 1. Returns nullopt if other extents differ, as for windows and matrices.
std::optional<Shape> goes_with(const Shape& operand, const Shape& result, const Shape& index);

// Returns the values of all operands. The result is the first.
std::vector<OperandValues> values_of(const Memory& memory, const Operation& operation);

// Returns the first element of the results that differs; nullopt if none does, or their shapes
// differ.
std::optional<Element> first_difference(const std::vector<OperandValues>& a,
                                        const std::vector<OperandValues>& b);
// Returns for example "out (0,1,2,3): A 1.5 (0x3fc00000), B 1.25 (0x3fa00000); 4 of 100 elements
// differ".
std::string describe_difference(const OperandValues& a, const OperandValues& b,
                                const Element& element);
// Explains why no element of two results differs although their bytes do.
std::string describe_mismatch(const std::vector<OperandValues>& a,
                              const std::vector<OperandValues>& b);
// Describes the operand element that belongs to a result element, or else the operand as a whole.
std::string describe_operand(const OperandValues& a, const OperandValues& b,
                             const Element& element);

}  // namespace tputwin::insight::recording
