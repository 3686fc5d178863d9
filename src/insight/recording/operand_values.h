// The values of a command's operands, and one of their elements on two sides.
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
  std::vector<int32_t> values;  // as Memory::read gives them, w fastest
};

struct Element {
  size_t place;  // among the values of the result
  Shape index;
  Shape of;  // the result's
};

// "1.5 (0x3fc00000)", "-3", "0x1f".
std::string describe_value(int32_t value, DType dtype);
// The element of an operand that belongs to one of the result: the same, or the only one along an
// axis. None where the operand has other extents: a window, a matrix.
std::optional<Shape> goes_with(const Shape& operand, const Shape& result, const Shape& index);

// The result is the first.
std::vector<OperandValues> values_of(const Memory& memory, const Operation& operation);

// Of the results, the first element that differs; those of other shapes differ in number.
std::optional<Element> first_difference(const std::vector<OperandValues>& a,
                                        const std::vector<OperandValues>& b);
// "out (0,1,2,3): A 1.5 (0x3fc00000), B 1.25 (0x3fa00000); 4 of 100 elements differ"
std::string describe_difference(const OperandValues& a, const OperandValues& b,
                                const Element& element);
// Why no element of two results differs though their bytes do.
std::string describe_mismatch(const std::vector<OperandValues>& a,
                              const std::vector<OperandValues>& b);
// What an operand was before, where it goes with that element of the result, or as a whole.
std::string describe_operand(const OperandValues& a, const OperandValues& b,
                             const Element& element);

}  // namespace tputwin::insight::recording
