// Boxes of detectors.
#pragma once

#include <string>
#include <vector>

namespace tputwin::testing {

struct Box {
  float x1 = 0, y1 = 0, x2 = 0, y2 = 0, score = 0;
  float width() const { return x2 - x1; }
  float height() const { return y2 - y1; }
};

enum class Overlap { of_union, of_smaller };

float overlap(const Box& a, const Box& b, Overlap kind = Overlap::of_union);

// Returns the indices of the boxes that are kept, best score first.
std::vector<size_t> suppress(const std::vector<Box>& boxes, float threshold,
                             Overlap kind = Overlap::of_union);
template <typename T>
std::vector<T> pick(const std::vector<T>& all, const std::vector<size_t>& indices) {
  std::vector<T> picked;
  for (size_t i : indices) picked.push_back(all[i]);
  return picked;
}

// Expects the same boxes in both, each pair overlapping by more than `least`. Records the least
// overlap in thousandths as a property of the test.
void expect_same_faces(const std::string& name, const std::vector<Box>& expected,
                       const std::vector<Box>& got, float least);

}  // namespace tputwin::testing
