// Operators that sort and select, compared with a count of the elements that come before each.
#include "host/support.h"

namespace tputwin::testing {
namespace {

// PyTorch's order: NaN is the greatest.
bool comes_before(float a, float b, bool descending) {
  if (std::isnan(a) || std::isnan(b))
    return descending ? std::isnan(a) && !std::isnan(b) : !std::isnan(a) && std::isnan(b);
  return descending ? a > b : a < b;
}

// Returns the rank of each element of a line; ties are ordered by position.
std::vector<int64_t> ranks(const std::vector<float>& line, bool descending) {
  std::vector<int64_t> result;
  for (size_t i = 0; i < line.size(); ++i) {
    int64_t rank = 0;
    for (size_t k = 0; k < line.size(); ++k)
      rank += comes_before(line[k], line[i], descending) ||
              (k < i && !comes_before(line[i], line[k], descending));
    result.push_back(rank);
  }
  return result;
}

std::vector<float> line_of(const Array& array, std::vector<int64_t> place, size_t axis) {
  std::vector<float> line;
  for (place[axis] = 0; place[axis] < array.shape[axis]; ++place[axis])
    line.push_back(at(array.f32(), array.shape, place));
  return line;
}

TEST(TopK, EveryAxisCountAndDirection) {
  Random random(1);
  for (const Shape& shape : {Shape{7}, Shape{3, 5}, Shape{2, 3, 4}, Shape{1, 1, 9}, Shape{5, 1}})
    for (size_t axis = 0; axis < shape.size(); ++axis)
      for (bool largest : {true, false}) {
        Array in = random.coarse(shape);
        std::get<0>(in.values)[in.size() / 2] = kNan;
        const int64_t k = random.below(shape[axis] + 1);
        const auto out = run("topk k=" + std::to_string(k) + " axis=" + std::to_string(axis) +
                                 " largest=" + (largest ? "1" : "0"),
                             {in}, {Type::f32, Type::i32});
        Shape expected = shape;
        expected[axis] = k;
        ASSERT_EQ(out[0].shape, expected);
        ASSERT_EQ(out[1].shape, expected);
        for_each_place(expected, [&](std::vector<int64_t> place) {
          const auto line = line_of(in, place, axis);
          const auto rank = ranks(line, largest);
          const auto chosen = static_cast<size_t>(at(out[1].i32(), expected, place));
          ASSERT_LT(chosen, line.size());
          EXPECT_EQ(rank[chosen], place[axis]);
          const float value = at(out[0].f32(), expected, place);
          EXPECT_TRUE(value == line[chosen] || (std::isnan(value) && std::isnan(line[chosen])));
        });
      }
}

TEST(TopK, CountAsAnInputAndItsLimits) {
  const Array in = floats({4}, {1, 4, 2, 4});
  const auto out = run("topk", {in, integers({1}, {2})}, {Type::f32, Type::f32});
  EXPECT_THAT(out[0].f32(), ElementsAre(4, 4));
  EXPECT_THAT(out[1].f32(), ElementsAre(1, 3));  // positions as fp32
  EXPECT_THAT(failure("topk k=5", {in}, {Type::f32, Type::i32}), HasSubstr("k is 0 to 4, not 5"));
  EXPECT_THAT(failure("topk", {in}, {Type::f32, Type::i32}), HasSubstr("not -1"));
  EXPECT_THAT(failure("topk k=1 axis=1", {in}, {Type::f32, Type::i32}), HasSubstr("no axis 1"));
  EXPECT_THAT(run("topk k=2 largest=0", {integers({3}, {INT32_MAX, INT32_MIN, 0})},
                  {Type::i32, Type::i32})[0]
                  .i32(),
              ElementsAre(INT32_MIN, 0));
}

TEST(Orders, OfAnAxisWithoutElements) {
  const Array none = floats({0, 3}, {});
  const auto best = run("topk k=0 axis=0", {none}, {Type::f32, Type::i32});
  EXPECT_EQ(best[0].shape, (Shape{0, 3}));
  EXPECT_EQ(best[1].shape, (Shape{0, 3}));
  EXPECT_THAT(failure("topk k=1 axis=0", {none}, {Type::f32, Type::i32}),
              HasSubstr("k is 0 to 0, not 1"));
}

TEST(ArgSort, ThePositionsAreRanks) {
  Random random(2);
  for (const Shape& shape : {Shape{9}, Shape{4, 3}, Shape{2, 5, 3}})
    for (size_t axis = 0; axis < shape.size(); ++axis)
      for (bool descending : {true, false}) {
        Array in = random.coarse(shape);
        std::get<0>(in.values)[0] = kNan;
        std::get<0>(in.values)[in.size() - 1] = -0.0F;
        const auto out =
            run("argsort axis=" + std::to_string(axis) + " descending=" + (descending ? "1" : "0"),
                {in}, {Type::i32, Type::f32});
        for_each_place(shape, [&](std::vector<int64_t> place) {
          const auto line = line_of(in, place, axis);
          const auto chosen = static_cast<size_t>(at(out[0].i32(), shape, place));
          EXPECT_EQ(ranks(line, descending)[chosen], place[axis]);
          const float value = at(out[1].f32(), shape, place);
          EXPECT_TRUE(value == line[chosen] || (std::isnan(value) && std::isnan(line[chosen])));
        });
      }
}

TEST(ArgMax, FirstOrLastOfEqualOnes) {
  Random random(3);
  for (const Shape& shape : {Shape{6}, Shape{3, 4}, Shape{2, 3, 5}})
    for (size_t axis = 0; axis < shape.size(); ++axis)
      for (int options = 0; options < 8; ++options) {
        const bool smallest = options & 1, last = options & 2, keeps = options & 4;
        const Array in = random.coarse(shape);
        const auto out =
            run("argmax axis=" + std::to_string(axis) + (smallest ? " smallest=1" : "") +
                    (last ? " select_last_index=1" : "") + (keeps ? "" : " keepdims=0"),
                {in}, {Type::i32, Type::f32});
        Shape kept = shape, squeezed = shape;
        kept[axis] = 1;
        squeezed.erase(squeezed.begin() + static_cast<ptrdiff_t>(axis));
        EXPECT_EQ(out[0].shape, keeps ? kept : squeezed);
        for_each_place(kept, [&](std::vector<int64_t> place) {
          const auto line = line_of(in, place, axis);
          const float wanted =
              smallest ? *std::ranges::min_element(line) : *std::ranges::max_element(line);
          int64_t expected = -1;
          for (size_t i = 0; i < line.size(); ++i)
            if (line[i] == wanted && (last || expected < 0)) expected = static_cast<int64_t>(i);
          EXPECT_EQ(at(out[0].i32(), kept, place), expected);
          EXPECT_EQ(at(out[1].f32(), kept, place), wanted);
        });
      }
}

TEST(ArgMax, NanIsChosen) {
  const Array in = floats({5}, {1, kNan, 9, kNan, -3});
  EXPECT_THAT(run1("argmax", {in}, Type::i32).i32(), ElementsAre(1));
  EXPECT_THAT(run1("argmax smallest=1", {in}, Type::i32).i32(), ElementsAre(1));
  EXPECT_THAT(run1("argmax select_last_index=1", {in}, Type::i32).i32(), ElementsAre(3));
  // A NaN that is not the first element is never chosen.
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(run1("argmax nan=unordered", {floats({4}, {1, nan, 2, nan})}, Type::i32).i32(),
              ElementsAre(2));
  EXPECT_THAT(run1("argmax nan=unordered", {floats({3}, {nan, 1, 2})}, Type::i32).i32(),
              ElementsAre(0));
  EXPECT_THAT(failure("argmax axis=1", {floats({3, 0}, {})}, {Type::i32}),
              HasSubstr("the axis has elements"));
  EXPECT_THAT(run1("argmax axis=1", {floats({0, 3}, {})}, Type::i32).i32(), IsEmpty());
}

}  // namespace
}  // namespace tputwin::testing
