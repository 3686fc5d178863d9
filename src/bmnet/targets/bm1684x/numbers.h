// The numbers that the tensors of a net hold: their types, and the scales of integers.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "chip/dtype.h"

namespace tputwin::net::bm1684x {

// The value of an element is the element * scale; floats have the scale 1. Unsigned bytes hold
// values that are never negative.
struct Numbers {
  DType type = DType::f32;
  float scale = 1;
  bool is_int8() const { return element_bytes(type) == 1; }
  bool operator==(const Numbers&) const = default;
};

struct Types {
  Numbers numbers;  // of all tensors but these
  std::map<std::string, Numbers, std::less<>> others;
  // Tensors of four axes that are viewed as a matrix for each index of the first two.
  std::set<std::string> matrices;

  const Numbers& of(std::string_view tensor) const {
    const auto found = others.find(tensor);
    return found == others.end() ? numbers : found->second;
  }
};

}  // namespace tputwin::net::bm1684x
