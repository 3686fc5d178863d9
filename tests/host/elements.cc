// Arithmetic, reductions, shapes and moves on the host, compared with ONNX's definitions in plain
// loops.
#include <functional>

#include "host/support.h"

namespace tputwin::testing {
namespace {

std::vector<float> each(const Array& a, const std::function<float(float)>& function) {
  std::vector<float> result;
  for (const float x : a.f32()) result.push_back(function(x));
  return result;
}

TEST(Unary, FunctionsOfOneValue) {
  const Array x = floats({2, 3}, {-2.5F, 0.25F, 0.5F, 1.5F, 3, kNan});
  const auto is = [&](const char* op, const std::function<float(float)>& function) {
    SCOPED_TRACE(op);
    const Array y = run1(std::string("unary op=") + op, {x});
    EXPECT_EQ(y.shape, x.shape);
    expect_floats(y, each(x, function), 1e-6F);
  };
  is("abs", [](float v) { return std::fabs(v); });
  is("ceil", [](float v) { return std::ceil(v); });
  is("exp", [](float v) { return std::exp(v); });
  is("floor", [](float v) { return std::floor(v); });
  is("identity", [](float v) { return v; });
  is("is_not_zero", [](float v) { return v == 0 ? 0.0F : 1.0F; });
  is("log", [](float v) { return std::log(v); });
  is("neg", [](float v) { return -v; });
  is("not", [](float v) { return v == 0 ? 1.0F : 0.0F; });
  is("reciprocal", [](float v) { return 1 / v; });
  is("relu", [](float v) { return v < 0 ? 0 : v; });
  is("sigmoid", [](float v) { return 1 / (1 + std::exp(-v)); });
  is("sqrt", [](float v) { return std::sqrt(v); });
  is("tanh", [](float v) { return std::tanh(v); });
  is("trunc", [](float v) { return std::trunc(v); });
  EXPECT_THAT(run1("unary op=round", {x}).f32()[0], -2);  // ties go to even numbers
  EXPECT_THAT(run1("unary op=round", {x}).f32()[3], 2);
  EXPECT_EQ(run1("unary op=not", {floats({2}, {0, -0.0F})}).f32(), (std::vector<float>{1, 1}));
  EXPECT_EQ(run1("unary op=is_not_zero", {floats({1}, {0})}).f32()[0], 0);
  is("leaky_relu arguments=0.25", [](float v) { return v < 0 ? 0.25F * v : v; });
  is("elu arguments=0.5", [](float v) { return v < 0 ? 0.5F * (std::exp(v) - 1) : v; });
  is("hard_sigmoid arguments=0.5,0.25", [](float v) {
    const float y = 0.5F * v + 0.25F;
    return y < 0 ? 0 : y > 1 ? 1 : y;
  });
  is("erf", [](float v) { return std::erf(v); });
  EXPECT_THAT(failure("unary op=sine", {x}), HasSubstr("op = sine"));
  for (const char* text :
       {"unary op=elu", "unary op=abs arguments=1", "unary op=erf arguments=1,2"})
    EXPECT_THAT(failure(text, {x}), HasSubstr("as many numbers as the function has"));
  EXPECT_THAT(failure("unary", {x}), HasSubstr("op = not given"));
}

TEST(Binary, ShapesAreBroadcast) {
  Random random(1);
  const Shape a_shape{3, 1, 4}, b_shape{2, 1};
  const Array a = random.coarse(a_shape), b = random.coarse(b_shape);
  const auto is = [&](const char* op, const std::function<float(float, float)>& function) {
    SCOPED_TRACE(op);
    const Array y = run1(std::string("binary op=") + op, {a, b});
    ASSERT_EQ(y.shape, (Shape{3, 2, 4}));
    std::vector<float> expected;
    for_each_place(y.shape, [&](const std::vector<int64_t>& p) {
      expected.push_back(
          function(at(a.f32(), a_shape, {p[0], 0, p[2]}), at(b.f32(), b_shape, {p[1], 0})));
    });
    expect_floats(y, expected, 1e-6F);
  };
  is("add", [](float x, float y) { return x + y; });
  is("sub", [](float x, float y) { return x - y; });
  is("mul", [](float x, float y) { return x * y; });
  is("div", [](float x, float y) { return x / y; });
  is("pow", [](float x, float y) { return std::pow(x, y); });
  is("max", [](float x, float y) { return std::max(x, y); });
  is("min", [](float x, float y) { return std::min(x, y); });
  is("equal", [](float x, float y) { return x == y ? 1.0F : 0.0F; });
  is("greater", [](float x, float y) { return x > y ? 1.0F : 0.0F; });
  is("greater_or_equal", [](float x, float y) { return x >= y ? 1.0F : 0.0F; });
  is("less", [](float x, float y) { return x < y ? 1.0F : 0.0F; });
  is("less_or_equal", [](float x, float y) { return x <= y ? 1.0F : 0.0F; });
  is("and", [](float x, float y) { return x != 0 && y != 0 ? 1.0F : 0.0F; });
  is("or", [](float x, float y) { return x != 0 || y != 0 ? 1.0F : 0.0F; });
  is("xor", [](float x, float y) { return (x != 0) != (y != 0) ? 1.0F : 0.0F; });
  EXPECT_THAT(failure("binary op=add", {floats({2}, {1, 2}), floats({3}, {1, 2, 3})}),
              HasSubstr("the shapes go together"));
}

TEST(Binary, IntegerDivision) {
  const Array a = floats({6}, {7, -7, 7, -7, 16777215, 16777215});
  const Array b = floats({6}, {3, 3, -3, -3, 16777214, 4098});
  EXPECT_THAT(run1("binary op=mod", {a, b}).f32(), ElementsAre(1, 2, -2, -1, 1, 3));
  EXPECT_THAT(run1("binary op=fmod", {a, b}).f32(), ElementsAre(1, -1, 1, -1, 1, 3));
  EXPECT_THAT(run1("binary op=trunc_div", {a, b}).f32(), ElementsAre(2, -2, -2, 2, 1, 4094));
}

TEST(Binary, NanWinsOverAll) {
  const Array a = floats({2}, {kNan, 1}), b = floats({2}, {1, kNan});
  for (const char* op : {"binary op=max", "binary op=min"})
    expect_floats(run1(op, {a, b}), {kNan, kNan});
}

TEST(Binary, Bits) {
  const Array a = floats({2, 3}, {12, -1, 16777216, -16777216, 5, 0}),
              b = floats({3}, {10, 255, 3});
  EXPECT_THAT(run1("binary op=bit_and", {a, b}).f32(), ElementsAre(8, 255, 0, 0, 5, 0));
  EXPECT_THAT(run1("binary op=bit_or", {floats({2}, {12, -8}), floats({2}, {10, 7})}).f32(),
              ElementsAre(14, -1));
  EXPECT_THAT(run1("binary op=bit_xor", {floats({2}, {12, -1}), floats({2}, {10, 255})}).f32(),
              ElementsAre(6, -256));
  const Array x = floats({4}, {1, 200, 255, 255}), by = floats({4}, {3, 1, 7, 40});
  EXPECT_THAT(run1("binary op=shift_left width=8", {x, by}).f32(), ElementsAre(8, 144, 128, 0));
  EXPECT_THAT(run1("binary op=shift_right", {x, by}).f32(), ElementsAre(0, 100, 1, 0));
  EXPECT_THAT(failure("binary op=shift_left", {x, by}), HasSubstr("2^24"));
  EXPECT_THAT(failure("binary op=bit_or", {floats({1}, {0.5F}), floats({1}, {1})}),
              HasSubstr("operands are integers"));
  EXPECT_THAT(failure("binary op=bit_or", {floats({1}, {kNan}), floats({1}, {1})}),
              HasSubstr("operands are integers"));
  EXPECT_THAT(failure("binary op=bit_xor", {floats({1}, {16777216}), floats({1}, {-1})}),
              HasSubstr("2^24"));
  EXPECT_THAT(failure("binary op=bit_and width=17", {x, by}), HasSubstr("width"));
}

// Integers are numbers of fp32 up to 2^24.
TEST(Binary, IntegersThatFp32CannotHoldAreErrors) {
  constexpr float kMost = 16777216;
  const Array most = floats({1}, {kMost}), one = floats({1}, {1});
  EXPECT_EQ(run1("binary op=add", {most, one}).f32()[0], kMost);
  EXPECT_THAT(failure("binary op=add integers=1", {most, one}), HasSubstr("not 16777217"));
  EXPECT_EQ(run1("binary op=sub integers=1", {most, one}).f32()[0], kMost - 1);
  EXPECT_THAT(failure("binary op=mul integers=1", {floats({1}, {4097}), floats({1}, {4096})}),
              HasSubstr("compute it in floats"));
  EXPECT_THAT(failure("binary op=max integers=1", {most, one}), HasSubstr("integers"));
}

// Sums that exceed 2^24 in between are exact.
TEST(Reduce, IntegersAreExact) {
  const Array in = floats({4}, {16777216, 1, 1, -16777216});
  EXPECT_EQ(run1("reduce op=sum keepdims=0 integers=1", {in}).f32()[0], 2);
  EXPECT_THAT(failure("reduce op=sum integers=1", {floats({2}, {16777216, 1})}),
              HasSubstr("not 16777217"));
  EXPECT_THAT(failure("reduce op=mean integers=1", {in}), HasSubstr("integers"));
}

TEST(Reduce, OverAxes) {
  Random random(2);
  const Array x = random.coarse({2, 3, 4});
  const auto is = [&](const char* op, float first, const std::function<float(float, float)>& fold,
                      float factor = 1) {
    SCOPED_TRACE(op);
    std::vector<float> expected(3, first);
    for_each_place(x.shape, [&](const std::vector<int64_t>& p) {
      float& y = expected[static_cast<size_t>(p[1])];
      y = fold(y, at(x.f32(), x.shape, p));
    });
    for (float& y : expected) y *= factor;
    const Array kept = run1(std::string("reduce axes=0,-1 op=") + op, {x});
    EXPECT_EQ(kept.shape, (Shape{1, 3, 1}));
    expect_floats(kept, expected, 1e-6F);
    EXPECT_EQ(run1(std::string("reduce axes=0,2 keepdims=0 op=") + op, {x}).shape, (Shape{3}));
    EXPECT_EQ(run1(std::string("reduce keepdims=0 op=") + op, {x}).shape, (Shape{}));
  };
  is("sum", 0, [](float a, float b) { return a + b; });
  is(
      "mean", 0, [](float a, float b) { return a + b; }, 1.0F / 8);
  is("max", -kInf, [](float a, float b) { return std::max(a, b); });
  is("min", kInf, [](float a, float b) { return std::min(a, b); });
  is("prod", 1, [](float a, float b) { return a * b; });
  EXPECT_TRUE(std::isnan(run1("reduce op=max", {floats({3}, {1, kNan, 2})}).f32()[0]));
  EXPECT_THAT(failure("reduce op=sum axes=3", {x}), HasSubstr("no axis 3"));
}

TEST(CumSum, AlongEachAxis) {
  Random random(5);
  const Array x = random.coarse({2, 3, 4});
  for (int axis = 0; axis < 3; ++axis)
    for (const bool exclusive : {false, true})
      for (const bool reverse : {false, true}) {
        std::vector<float> expected;
        for_each_place(x.shape, [&](std::vector<int64_t> p) {
          const auto a = static_cast<size_t>(axis);
          float sum = 0;
          const int64_t own = p[a];
          for (p[a] = 0; p[a] < x.shape[a]; ++p[a]) {
            const int64_t before = reverse ? p[a] - own : own - p[a];
            if (before > 0 || (before == 0 && !exclusive)) sum += at(x.f32(), x.shape, p);
          }
          expected.push_back(sum);
        });
        const std::string parameters =
            fmt::format("cumsum axis={} exclusive={} reverse={}", axis - (reverse ? 3 : 0),
                        exclusive ? 1 : 0, reverse ? 1 : 0);
        SCOPED_TRACE(parameters);
        expect_floats(run1(parameters, {x}), expected, 1e-6F);
      }
  EXPECT_EQ(run1("cumsum", {floats({0, 2}, {})}).shape, (Shape{0, 2}));
  EXPECT_THAT(failure("cumsum axis=3", {x}), HasSubstr("no axis 3"));
}

TEST(CumSum, IntegersAreExact) {
  const Array in = floats({3}, {16777216, -1, 1});
  EXPECT_EQ(run1("cumsum integers=1", {in}).f32()[2], 16777216);
  EXPECT_THAT(failure("cumsum integers=1", {floats({3}, {16777216, 1, -1})}),
              HasSubstr("not 16777217"));
  EXPECT_EQ(run1("cumsum integers=1 exclusive=1", {floats({2}, {16777216, 1})}).f32()[1], 16777216);
}

}  // namespace
}  // namespace tputwin::testing
