// Operators that access elements by position, compared with the formulas of ONNX and PyTorch,
// element by element.
#include "host/support.h"

namespace tputwin::testing {
namespace {

int64_t wrapped(int32_t index, int64_t extent) { return index < 0 ? index + extent : index; }

TEST(Gather, EveryAxis) {
  Random random(1);
  const Shape data_shape{3, 1, 5, 2};
  const Array data = random.fine(data_shape);
  for (size_t axis = 0; axis < data_shape.size(); ++axis)
    for (const Shape& index_shape : {Shape{}, Shape{4}, Shape{2, 3}, Shape{0}}) {
      const Array index = random.positions(index_shape, data_shape[axis]);
      const Array out = run1("gather axis=" + std::to_string(axis), {data, index});
      Shape expected(data_shape.begin(), data_shape.begin() + static_cast<ptrdiff_t>(axis));
      expected.insert(expected.end(), index_shape.begin(), index_shape.end());
      expected.insert(expected.end(), data_shape.begin() + static_cast<ptrdiff_t>(axis) + 1,
                      data_shape.end());
      ASSERT_EQ(out.shape, expected);
      for_each_place(expected, [&](const std::vector<int64_t>& place) {
        const auto split = place.begin() + static_cast<ptrdiff_t>(axis);
        const auto rest = split + static_cast<ptrdiff_t>(index_shape.size());
        std::vector<int64_t> from(place.begin(), split);
        from.push_back(wrapped(at(index.i32(), index_shape, {split, rest}), data_shape[axis]));
        from.insert(from.end(), rest, place.end());
        EXPECT_EQ(at(out.f32(), expected, place), at(data.f32(), data_shape, from));
      });
    }
}

TEST(Gather, PositionsAreChecked) {
  const Array data = floats({3}, {1, kNan, 3});
  EXPECT_THAT(failure("gather", {data, integers({1}, {3})}), HasSubstr("position 3 of 3"));
  EXPECT_THAT(failure("gather", {data, integers({1}, {-4})}), HasSubstr("position -4 of 3"));
  EXPECT_THAT(failure("gather", {data, floats({1}, {0.5F})}), HasSubstr("not 0.5"));
  EXPECT_THAT(failure("gather", {data, floats({1}, {kNan})}), HasSubstr("holds integers"));
  EXPECT_TRUE(std::isnan(run1("gather", {data, floats({1}, {1})}).f32()[0]));
  EXPECT_THAT(failure("gather", {integers({1}, {7}), integers({1}, {0})}),
              HasSubstr("output 0 is int32"));
}

TEST(Embedding, RowsOfATable) {
  const Array table = floats({3, 2}, {0, 1, 10, 11, 20, 21});
  const Array out = run1("embedding", {integers({2, 2}, {2, 0, 1, 1}), table});
  EXPECT_EQ(out.shape, (Shape{2, 2, 2}));
  EXPECT_THAT(out.f32(), ElementsAre(20, 21, 0, 1, 10, 11, 10, 11));
  EXPECT_THAT(failure("embedding", {integers({1}, {-1}), table}), HasSubstr("counted from 0"));
  EXPECT_THAT(failure("embedding", {integers({1}, {3}), table}), HasSubstr("position 3 of 3"));
}

TEST(GatherElements, TorchsFormula) {
  Random random(2);
  const Shape data_shape{4, 3, 5};
  const Array data = random.fine(data_shape);
  for (size_t axis = 0; axis < 3; ++axis) {
    Shape shape{2, 3, 4};
    shape[axis] = 6;
    const Array index = random.positions(shape, data_shape[axis]);
    const Array out = run1("gather_elements axis=" + std::to_string(axis), {data, index});
    for_each_place(shape, [&](std::vector<int64_t> place) {
      std::vector<int64_t> from = place;
      from[axis] = wrapped(at(index.i32(), shape, place), data_shape[axis]);
      EXPECT_EQ(at(out.f32(), shape, place), at(data.f32(), data_shape, from));
    });
  }
  EXPECT_THAT(failure("gather_elements", {data, integers({1, 4, 1}, {0, 0, 0, 0})}),
              HasSubstr("beyond the data"));
}

TEST(GatherNd, EveryDepthAndBatch) {
  Random random(3);
  const Shape data_shape{2, 3, 4, 2};
  const Array data = random.fine(data_shape);
  for (size_t batch = 0; batch <= 1; ++batch)
    for (size_t depth = 1; depth + batch <= 4; ++depth) {
      Shape index_shape(data_shape.begin(), data_shape.begin() + static_cast<ptrdiff_t>(batch));
      index_shape.push_back(5);
      index_shape.push_back(static_cast<int64_t>(depth));
      Array index = integers(index_shape, {});
      for_each_place(index_shape, [&](const std::vector<int64_t>& place) {
        const int64_t extent = data_shape[batch + static_cast<size_t>(place.back())];
        std::get<1>(index.values)
            .push_back(static_cast<int32_t>(random.below(2 * extent) - extent));
      });
      const Array out = run1("gathernd batch_dims=" + std::to_string(batch), {data, index});
      Shape expected(index_shape.begin(), index_shape.end() - 1);
      expected.insert(expected.end(), data_shape.begin() + static_cast<ptrdiff_t>(batch + depth),
                      data_shape.end());
      ASSERT_EQ(out.shape, expected);
      for_each_place(expected, [&](const std::vector<int64_t>& place) {
        const auto tail = place.begin() + static_cast<ptrdiff_t>(batch) + 1;
        std::vector<int64_t> from(place.begin(), place.begin() + static_cast<ptrdiff_t>(batch));
        for (size_t d = 0; d < depth; ++d) {
          std::vector<int64_t> of_index(place.begin(), tail);
          of_index.push_back(static_cast<int64_t>(d));
          from.push_back(wrapped(at(index.i32(), index_shape, of_index), data_shape[batch + d]));
        }
        from.insert(from.end(), tail, place.end());
        EXPECT_EQ(at(out.f32(), expected, place), at(data.f32(), data_shape, from));
      });
    }
  EXPECT_EQ(run1("gathernd", {data, integers({0, 2}, {})}).shape, (Shape{0, 4, 2}));
  EXPECT_THAT(failure("gathernd", {data, integers({1, 5}, {0, 0, 0, 0, 0})}),
              HasSubstr("1 to the other axes"));
}

TEST(ScatterNd, ReductionsInTheirOrder) {
  const Array data = floats({4}, {1, 2, 3, 4});
  const Array index = integers({3, 1}, {1, -1, 1}), updates = floats({3}, {10, 20, -5});
  const auto result = [&](const std::string& reduction) {
    return run1("scatternd" + reduction, {data, index, updates}).f32();
  };
  EXPECT_THAT(result(""), ElementsAre(1, -5, 3, 20));  // the last value for a position stays
  EXPECT_THAT(result(" reduction=add"), ElementsAre(1, 7, 3, 24));
  EXPECT_THAT(result(" reduction=mul"), ElementsAre(1, -100, 3, 80));
  EXPECT_THAT(result(" reduction=max"), ElementsAre(1, 10, 3, 20));
  EXPECT_THAT(result(" reduction=min"), ElementsAre(1, -5, 3, 4));
  const Array nan = floats({1}, {kNan});
  for (const char* reduction : {"max", "min", "add"})
    EXPECT_TRUE(std::isnan(
        run1(std::string("scatternd reduction=") + reduction, {data, integers({1, 1}, {0}), nan})
            .f32()[0]));
  EXPECT_THAT(
      run1("scatternd reduction=add",
           {integers({1}, {INT32_MAX}), integers({1, 1}, {0}), integers({1}, {1})}, Type::i32)
          .i32(),
      ElementsAre(INT32_MIN));  // wraps
}

TEST(ScatterElements, AlongAnAxis) {
  Random random(5);
  const Shape shape{3, 4};
  const Array data = random.fine(shape), updates = random.fine({2, 3});
  const std::vector<int> index{2, 0, -1, 1, 1, 0};
  for (const int axis : {0, 1}) {
    std::vector<float> expected = data.f32();
    for (size_t i = 0; i < 6; ++i) {
      int64_t place[] = {static_cast<int64_t>(i / 3), static_cast<int64_t>(i % 3)};
      const int64_t extent = shape[static_cast<size_t>(axis)];
      place[axis] = index[i] < 0 ? index[i] + extent : index[i];
      expected[static_cast<size_t>(place[0] * 4 + place[1])] += updates.f32()[i];
    }
    EXPECT_EQ(run1("scatter_elements reduction=add axis=" + std::to_string(axis),
                   {data, integers({2, 3}, {2, 0, -1, 1, 1, 0}), updates})
                  .f32(),
              expected);
  }
  EXPECT_EQ(run1("scatter_elements", {data, integers({0, 4}, {}), floats({0, 4}, {})}).f32(),
            data.f32());
  EXPECT_THAT(failure("scatter_elements", {data, integers({1, 1}, {3}), floats({1, 1}, {0})}),
              HasSubstr("position 3 of 3"));
  EXPECT_THAT(failure("scatter_elements", {data, integers({1, 1}, {0}), floats({1}, {0})}),
              HasSubstr("an update for each position"));
  EXPECT_THAT(failure("scatter_elements",
                      {data, integers({1, 5}, {0, 0, 0, 0, 0}), floats({1, 5}, {0, 0, 0, 0, 0})}),
              HasSubstr("beyond the data"));
}

TEST(ScatterNd, Slices) {
  Random random(4);
  const Shape shape{3, 4, 2};
  const Array data = random.fine(shape), updates = random.fine({2, 2});
  const Array out = run1("scatternd", {data, integers({2, 2}, {2, -4, 0, 3}), updates});
  for_each_place(shape, [&](const std::vector<int64_t>& place) {
    const bool first = place[0] == 2 && place[1] == 0, second = place[0] == 0 && place[1] == 3;
    const float expected = first || second
                               ? updates.f32()[static_cast<size_t>(second * 2 + place[2])]
                               : at(data.f32(), shape, place);
    EXPECT_EQ(at(out.f32(), shape, place), expected);
  });
  EXPECT_THAT(failure("scatternd", {data, integers({1, 1}, {0}), updates}),
              HasSubstr("the updates are (1,4,2)"));
  EXPECT_THAT(failure("scatternd", {data, integers({1, 3}, {0, 4, 0}), floats({1}, {0})}),
              HasSubstr("position 4 of 4"));
}

TEST(Where, ShapesRepeat) {
  Random random(5);
  const Shape condition_shape{3, 1}, x_shape{2, 1, 4}, y_shape{};
  const Array condition = floats(condition_shape, {0, kNan, -0.0F});
  const Array x = random.fine(x_shape), y = floats(y_shape, {9});
  const Array out = run1("where", {condition, x, y});
  ASSERT_EQ(out.shape, (Shape{2, 3, 4}));
  for_each_place(out.shape, [&](const std::vector<int64_t>& place) {
    const float expected = place[1] == 1 ? at(x.f32(), x_shape, {place[0], 0, place[2]}) : 9;
    EXPECT_EQ(at(out.f32(), out.shape, place), expected);
  });
  EXPECT_THAT(failure("where", {condition, x, floats({2}, {1, 2})}), HasSubstr("go together"));
  EXPECT_THAT(failure("where", {condition, x, integers({}, {1})}), HasSubstr("one type"));
  EXPECT_THAT(run1("where", {integers({0}, {}), y, y}).f32(), IsEmpty());
}

TEST(NonZero, BothOrders) {
  Random random(6);
  for (const Shape& shape : {Shape{9}, Shape{3, 4}, Shape{2, 3, 5}}) {
    Array in = random.coarse(shape);
    std::get<0>(in.values)[1] = kNan;
    std::get<0>(in.values)[2] = -0.0F;
    std::vector<int32_t> rows;
    for_each_place(shape, [&](const std::vector<int64_t>& place) {
      if (at(in.f32(), shape, place) != 0) rows.insert(rows.end(), place.begin(), place.end());
    });
    const auto axes = static_cast<int64_t>(shape.size());
    const auto number = static_cast<int64_t>(rows.size()) / axes;
    const Array torch = run1("nonzero order=torch", {in}, Type::i32);
    EXPECT_EQ(torch.shape, (Shape{number, axes}));
    EXPECT_EQ(torch.i32(), rows);
    const Array onnx = run1("nonzero", {in}, Type::i32);
    EXPECT_EQ(onnx.shape, (Shape{axes, number}));
    for (int64_t i = 0; i < number; ++i)
      for (int64_t axis = 0; axis < axes; ++axis)
        EXPECT_EQ(at(onnx.i32(), onnx.shape, {axis, i}), at(rows, torch.shape, {i, axis}));
  }
  const Array none = run1("nonzero", {integers({2, 2}, {0, 0, 0, 0})}, Type::i32);
  EXPECT_EQ(none.shape, (Shape{2, 0}));
}

TEST(MaskedSelect, InTheirOrder) {
  const Array data = floats({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_THAT(run1("masked_select", {data, integers({3}, {1, 0, -1})}).f32(),
              ElementsAre(1, 3, 4, 6));
  EXPECT_THAT(run1("masked_select", {data, integers({2, 1}, {0, 1})}).f32(), ElementsAre(4, 5, 6));
  EXPECT_THAT(run1("masked_select", {data, integers({1}, {0})}).f32(), IsEmpty());
  EXPECT_THAT(failure("masked_select", {data, integers({2}, {1, 1})}), HasSubstr("go together"));
}

}  // namespace
}  // namespace tputwin::testing
