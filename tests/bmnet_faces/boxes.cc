#include "bmnet_faces/boxes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace tputwin::testing {
namespace {

std::string text(const Box& box) {
  return fmt::format("({:.1f},{:.1f})-({:.1f},{:.1f}) {:.3f}", box.x1, box.y1, box.x2, box.y2,
                     box.score);
}

}  // namespace

float overlap(const Box& a, const Box& b, Overlap kind) {
  const float w = std::min(a.x2, b.x2) - std::max(a.x1, b.x1);
  const float h = std::min(a.y2, b.y2) - std::max(a.y1, b.y1);
  if (w <= 0 || h <= 0) return 0;
  const float area_a = a.width() * a.height(), area_b = b.width() * b.height();
  const float whole =
      kind == Overlap::of_union ? area_a + area_b - w * h : std::min(area_a, area_b);
  return w * h / whole;
}

std::vector<size_t> suppress(const std::vector<Box>& boxes, float threshold, Overlap kind) {
  std::vector<size_t> order(boxes.size()), kept;
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return boxes[a].score > boxes[b].score; });
  for (size_t i : order)
    if (std::none_of(kept.begin(), kept.end(),
                     [&](size_t k) { return overlap(boxes[i], boxes[k], kind) > threshold; }))
      kept.push_back(i);
  return kept;
}

void expect_same_faces(const std::string& name, const std::vector<Box>& expected,
                       const std::vector<Box>& got, float least) {
  EXPECT_EQ(got.size(), expected.size());
  std::vector<bool> taken(got.size());
  float worst = 1;
  for (const Box& face : expected) {
    size_t best = got.size();
    float largest = 0;
    for (size_t i = 0; i < got.size(); ++i)
      if (!taken[i] && overlap(face, got[i]) > largest) largest = overlap(face, got[best = i]);
    EXPECT_GT(largest, least) << text(face) << " against "
                              << (best < got.size() ? text(got[best]) : "none");
    if (best < got.size()) taken[best] = true;
    worst = std::min(worst, largest);
  }
  for (size_t i = 0; i < got.size(); ++i) EXPECT_TRUE(taken[i]) << "in int8 only: " << text(got[i]);
  ::testing::Test::RecordProperty(name, static_cast<int>(worst * 1000));
}

}  // namespace tputwin::testing
