// Shapes and moves on the host, on floats and integers.
#include "host/support.h"

namespace tputwin::testing {
namespace {

std::vector<Array> examples(const Shape& shape) {
  std::vector<float> reals;
  std::vector<int32_t> whole;
  for (int64_t i = 0; i < host::count(shape); ++i) {
    reals.push_back(static_cast<float>(i) + 0.5F);
    whole.push_back(static_cast<int32_t>(i));
  }
  return {floats(shape, reals), integers(shape, whole)};
}

void expect_shape(const std::string& text, const Shape& from, const Shape& to) {
  SCOPED_TRACE(text);
  for (const Array& x : examples(from)) {
    const Array y = run1(text, {x}, x.type());
    EXPECT_EQ(y.shape, to);
    EXPECT_EQ(y.values, x.values);
  }
}

TEST(Reshape, ExtentsThatStandForOthers) {
  expect_shape("reshape shape=3,-1", {2, 3, 4}, {3, 8});
  expect_shape("reshape shape=0,0,2,-1", {2, 3, 4}, {2, 3, 2, 2});
  expect_shape("reshape shape=-1", {2, 3}, {6});
  expect_shape("reshape", {1, 1}, {});
  expect_shape("reshape shape=0,-1", {5, 0, 3}, {5, 0});
  expect_shape("reshape shape=0,3 allowzero=1", {0, 7}, {0, 3});
  expect_shape("reshape flatten=0", {2, 3}, {1, 6});
  expect_shape("reshape flatten=1", {2, 3, 4}, {2, 12});
  expect_shape("reshape flatten=2", {2, 3}, {6, 1});
  const Array x = examples({2, 3})[0];
  EXPECT_EQ(run1("reshape", {x, integers({2}, {3, -1})}).shape, (Shape{3, 2}));
  EXPECT_EQ(run1("reshape", {x, floats({1}, {6})}).shape, (Shape{6}));
  EXPECT_THAT(failure("reshape shape=4,-1", {x}), HasSubstr("the open extent is an integer"));
  EXPECT_THAT(failure("reshape shape=7", {x}), HasSubstr("as many elements"));
  EXPECT_THAT(failure("reshape shape=-1,-1", {x}), HasSubstr("one at most is -1"));
  EXPECT_THAT(failure("reshape shape=6,1,0", {x}), HasSubstr("0 keeps an extent"));
  EXPECT_THAT(failure("reshape shape=1.5", {x}), HasSubstr("integers with commas"));
}

TEST(Squeeze, AxesOfExtentOne) {
  expect_shape("squeeze", {1, 3, 1}, {3});
  expect_shape("squeeze axes=-1", {1, 3, 1}, {1, 3});
  EXPECT_THAT(failure("squeeze axes=1", {examples({1, 3})[0]}), HasSubstr("the extent 1"));
  expect_shape("unsqueeze axes=0,-1", {3}, {1, 3, 1});
  expect_shape("unsqueeze axes=2,1", {3, 4}, {3, 1, 1, 4});
  EXPECT_THAT(failure("unsqueeze axes=0,0", {examples({3})[0]}), HasSubstr("each once"));
  EXPECT_THAT(failure("unsqueeze axes=5", {examples({3})[0]}), HasSubstr("each once"));
}

TEST(ShapeOperator, ExtentsAsValues) {
  const Array x = examples({2, 3, 4})[0];
  EXPECT_THAT(run1("shape", {x}).f32(), ElementsAre(2, 3, 4));
  EXPECT_THAT(run1("shape start=-2", {x}, Type::i32).i32(), ElementsAre(3, 4));
  EXPECT_THAT(run1("shape start=1 end=-1", {x}).f32(), ElementsAre(3));
  EXPECT_THAT(run1("shape start=2 end=1", {x}).f32(), IsEmpty());
}

TEST(Transpose, EveryOrder) {
  for (const Array& x : examples({2, 3, 4})) {
    Shape order{0, 1, 2};
    do {
      const std::string text = "transpose order=" + std::to_string(order[0]) + "," +
                               std::to_string(order[1]) + "," + std::to_string(order[2] - 3);
      const Array y = run1(text, {x}, x.type());
      const auto axis = [&](size_t i) { return static_cast<size_t>(order[i]); };
      ASSERT_EQ(y.shape, (Shape{x.shape[axis(0)], x.shape[axis(1)], x.shape[axis(2)]}));
      for_each_place(y.shape, [&](const std::vector<int64_t>& to) {
        std::vector<int64_t> from(3);
        for (size_t i = 0; i < 3; ++i) from[axis(i)] = to[i];
        if (x.type() == Type::f32)
          EXPECT_EQ(at(y.f32(), y.shape, to), at(x.f32(), x.shape, from));
        else
          EXPECT_EQ(at(y.i32(), y.shape, to), at(x.i32(), x.shape, from));
      });
    } while (std::next_permutation(order.begin(), order.end()));
    EXPECT_EQ(run1("transpose", {x}, x.type()).shape, (Shape{4, 3, 2}));
  }
  EXPECT_THAT(failure("transpose order=0,0", {examples({2, 3})[0]}), HasSubstr("each axis once"));
}

TEST(Concat, EveryAxis) {
  for (size_t axis = 0; axis < 3; ++axis) {
    std::vector<Array> parts;
    for (const int64_t extent : {2, 0, 3, 1}) {
      Shape shape{2, 3, 4};
      shape[axis] = extent;
      parts.push_back(examples(shape)[0]);
    }
    const Array y = run1("concat axis=" + std::to_string(axis), parts);
    Shape expected{2, 3, 4};
    expected[axis] = 6;
    ASSERT_EQ(y.shape, expected);
    for_each_place(expected, [&](std::vector<int64_t> to) {
      const float value = at(y.f32(), y.shape, to);
      size_t part = 0;
      for (; to[axis] >= parts[part].shape[axis]; ++part) to[axis] -= parts[part].shape[axis];
      EXPECT_EQ(value, at(parts[part].f32(), parts[part].shape, to));
    });
  }
  EXPECT_THAT(failure("concat axis=0", {examples({2, 3})[0], examples({2, 4})[0]}),
              HasSubstr("equal but for the axis"));
}

// Python's slices, in a loop.
std::vector<float> sliced(int64_t size, int64_t start, int64_t end, int64_t step) {
  const auto bound = [&](int64_t i) {
    if (i < 0) i += size;
    return step > 0 ? std::clamp<int64_t>(i, 0, size) : std::clamp<int64_t>(i, -1, size - 1);
  };
  std::vector<float> result;
  for (int64_t i = bound(start); step > 0 ? i < bound(end) : i > bound(end); i += step)
    result.push_back(static_cast<float>(i) + 0.5F);
  return result;
}

TEST(Slice, AsInPython) {
  const int64_t size = 5;
  const Array x = examples({size})[0];
  for (int64_t start = -7; start <= 7; ++start)
    for (int64_t end = -7; end <= 7; ++end)
      for (const int64_t step : {1, 2, 3, -1, -2, -9, 9}) {
        const std::string text = "slice start=" + std::to_string(start) +
                                 " end=" + std::to_string(end) + " step=" + std::to_string(step);
        ASSERT_EQ(run1(text, {x}).f32(), sliced(size, start, end, step)) << text;
      }
  EXPECT_EQ(run1("slice axis=1 start=1", {examples({2, 3, 4})[1]}, Type::i32).shape,
            (Shape{2, 2, 4}));
  EXPECT_THAT(failure("slice step=0", {x}), HasSubstr("step = 0"));
}

TEST(Slice, BoundsThatAreTensors) {
  const int64_t size = 5;
  const Array x = examples({size})[0];
  for (int64_t start = -7; start <= 7; ++start)
    for (const int64_t end : {-16777216, -3, 0, 4, 16777216})
      for (const int64_t step : {1, 2, -1}) {
        const auto three = [](int64_t value) {
          return floats({3}, {7, static_cast<float>(value), 7});
        };
        EXPECT_EQ(run1("slice number=1", {x, three(start), three(end), three(step)}).f32(),
                  sliced(size, start, end, step))
            << start << " " << end << " " << step;
      }
  EXPECT_THAT(failure("slice number=1", {x, integers({1}, {0}), integers({1}, {2})}),
              HasSubstr("one for each axis"));
  EXPECT_THAT(failure("slice", {x, integers({1}, {0}), integers({1}, {2}), integers({1}, {0})}),
              HasSubstr("a step is not 0"));
}

TEST(Slice, EqualPartsOfAnExtent) {
  const Array x = examples({5})[0];
  EXPECT_EQ(run1("slice part=0 parts=3", {x}).f32(), sliced(5, 0, 2, 1));
  EXPECT_EQ(run1("slice part=2 parts=3", {x}).f32(), sliced(5, 4, 5, 1));
  EXPECT_EQ(run1("slice part=1 parts=5 divides=1", {x}).f32(), sliced(5, 1, 2, 1));
  EXPECT_THAT(failure("slice part=0 parts=3 divides=1", {x}), HasSubstr("extent 5 has 3 equal"));
  EXPECT_THAT(failure("slice part=3 parts=3", {x}), HasSubstr("one of the parts"));
}

TEST(Expand, RepeatsToAShape) {
  const Array x = examples({2, 1})[0];
  const Array y = run1("expand", {x, integers({3}, {3, 1, 4})});
  EXPECT_EQ(y.shape, (Shape{3, 2, 4}));
  for_each_place(y.shape, [&](const std::vector<int64_t>& to) {
    EXPECT_EQ(at(y.f32(), y.shape, to), at(x.f32(), x.shape, {to[1], 0}));
  });
  EXPECT_EQ(run1("expand", {x, integers({2}, {1, 0})}).shape, (Shape{2, 0}));
  EXPECT_THAT(failure("expand", {x, integers({1}, {-1})}), HasSubstr("at least 0"));
  EXPECT_THAT(failure("expand", {x, integers({2}, {3, 1})}), HasSubstr("go together"));
  EXPECT_THAT(failure("expand", {x, integers({9}, {1, 1, 1, 1, 1, 1, 1, 1, 1})}),
              HasSubstr("at most 8 axes"));
}

TEST(Fill, ZerosBehindWhatThereIs) {
  for (const Array& x : examples({2, 1, 3})) {
    const Array y = run1("fill shape=3,2,3", {x}, x.type());
    EXPECT_EQ(y.shape, (Shape{3, 2, 3}));
    std::visit(
        [&](const auto& values) {
          using T = typename std::decay_t<decltype(values)>::value_type;
          for_each_place(y.shape, [&](const std::vector<int64_t>& to) {
            const bool is_own = to[0] < 2 && to[1] < 1;
            const auto& own = std::get<std::vector<T>>(x.values);
            EXPECT_EQ(at(values, y.shape, to), is_own ? at(own, x.shape, to) : T{0});
          });
        },
        y.values);
  }
  EXPECT_EQ(run1("fill shape=2,2 open=1", {examples({0, 2})[0]}).f32(), (std::vector<float>(4, 0)));
  EXPECT_EQ(run1("fill shape=3", {examples({3})[0]}).f32(), examples({3})[0].f32());
  EXPECT_THAT(failure("fill shape=2,3 open=1", {examples({2, 2})[0]}),
              HasSubstr("axes from 1 on have the extents (2,3), not (2,2)"));
  EXPECT_THAT(failure("fill shape=2,3", {examples({3, 2})[0]}), HasSubstr("no larger"));
  EXPECT_THAT(failure("fill shape=2", {examples({1, 2})[0]}), HasSubstr("as many axes"));
  EXPECT_THAT(failure("fill shape=2,0", {examples({1, 2})[0]}), HasSubstr("at least 1"));
  EXPECT_THAT(failure("fill", {examples({1, 2})[0]}), HasSubstr("1 to 8 extents"));
}

// The position along an axis of `size` that a padded one has; -1: the constant.
int64_t source_of(int64_t i, int64_t size, const std::string& mode) {
  if (i >= 0 && i < size) return i;
  if (mode == "edge") return i < 0 ? 0 : size - 1;
  if (mode == "reflect") return i < 0 ? -i : 2 * size - 2 - i;
  if (mode == "wrap") return ((i % size) + size) % size;
  return -1;
}

TEST(Pad, EachModeAtBothEnds) {
  const Array x = examples({2, 4})[0];
  for (const std::string mode : {"constant", "edge", "reflect", "wrap"})
    for (const int64_t before : {0, 1, 3})
      for (const int64_t behind : {0, 2, 3}) {
        const Array y = run1("pad value=-7 mode=" + mode + " pads=0," + std::to_string(before) +
                                 ",0," + std::to_string(behind),
                             {x});
        ASSERT_EQ(y.shape, (Shape{2, 4 + before + behind}));
        for_each_place(y.shape, [&](const std::vector<int64_t>& to) {
          const int64_t from = source_of(to[1] - before, 4, mode);
          EXPECT_EQ(at(y.f32(), y.shape, to), from < 0 ? -7 : at(x.f32(), x.shape, {to[0], from}))
              << mode;
        });
      }
}

TEST(Pad, NegativePadsCutFirst) {
  EXPECT_EQ(run1("pad pads=-1,2 mode=edge", {examples({3})[0]}).f32(),
            (std::vector<float>{1.5F, 2.5F, 2.5F, 2.5F}));
  EXPECT_EQ(run1("pad pads=-2,-1", {examples({3})[1]}, Type::i32).shape, (Shape{0}));
  EXPECT_EQ(run1("pad pads=1,2 value=3", {examples({0})[0]}).f32(), (std::vector<float>(3, 3)));
  EXPECT_THAT(failure("pad pads=-2,-2", {examples({3})[0]}), HasSubstr("cut off what there is"));
  EXPECT_THAT(failure("pad pads=3,0 mode=reflect", {examples({3})[0]}), HasSubstr("smaller"));
  EXPECT_THAT(failure("pad pads=1,0 mode=wrap", {examples({0})[0]}), HasSubstr("only a constant"));
  EXPECT_THAT(failure("pad pads=1,0", {examples({3, 2})[0]}), HasSubstr("two pads"));
  EXPECT_THAT(failure("pad pads=1,0,1", {examples({3})[0]}), HasSubstr("two for each axis"));
}

TEST(Tile, RepeatsAxes) {
  const Array y = run1("tile repeats=2,3", {examples({2, 2})[0]});
  EXPECT_EQ(y.shape, (Shape{4, 6}));
  for_each_place(y.shape, [&](const std::vector<int64_t>& to) {
    EXPECT_EQ(at(y.f32(), y.shape, to), static_cast<float>(to[0] % 2 * 2 + to[1] % 2) + 0.5F);
  });
  EXPECT_EQ(run1("tile repeats=0", {examples({3})[0]}).shape, (Shape{0}));
  EXPECT_THAT(failure("tile repeats=2", {examples({2, 2})[0]}), HasSubstr("for each axis"));
}

}  // namespace
}  // namespace tputwin::testing
