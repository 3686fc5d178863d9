// Comparison of raw results, element by element.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"

namespace tputwin::tools {

enum class Element : uint8_t { int8, fp32 };

struct Difference {
  size_t index;  // of the element
  double first, second;
};

struct Comparison {
  size_t count = 0;  // elements compared
  // First - second| > tolerance, or one of them is NaN.
  std::vector<Difference> differences;
  // Cosine of the angle between the two as vectors.
  double similarity = 1;
  bool equal() const { return differences.empty(); }
};

Result<Comparison> compare(std::span<const uint8_t> first, std::span<const uint8_t> second,
                           Element element, double tolerance = 0);

// Returns "12: 5 expected 7" per difference, at most `limit` of them.
std::string differences_text(const Comparison& comparison, size_t limit);

// Returns one element per line, with its index.
Result<std::string> dump(std::span<const uint8_t> bytes, Element element);

}  // namespace tputwin::tools
