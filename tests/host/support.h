// Runs an operator of the host by its text, as bmodels do.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "host/operators.h"

namespace tputwin::testing {

using host::Array;
using host::Shape;
using host::Type;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
inline constexpr float kInf = std::numeric_limits<float>::infinity();

inline Array floats(Shape shape, std::vector<float> values) {
  return {std::move(shape), std::move(values)};
}
inline Array integers(Shape shape, std::vector<int32_t> values) {
  return {std::move(shape), std::move(values)};
}

constexpr int64_t kCapacity = 1 << 20;

// Runs the operator with outputs of these types.
inline Result<std::vector<Array>> try_run(const std::string& text, const std::vector<Array>& inputs,
                                          const std::vector<Type>& types,
                                          int64_t capacity = kCapacity) {
  TW_ASSIGN_OR_RETURN(op, host::make_operator(text, inputs.size(), types.size()));
  std::vector<Array> outputs(types.size());
  for (size_t i = 0; i < types.size(); ++i)
    if (types[i] == Type::i32) outputs[i].values = std::vector<int32_t>();
  const std::vector<int64_t> capacities(types.size(), capacity);
  Status status = host::run(op, inputs, outputs, capacities);
  if (!status.ok()) return status.error();
  return outputs;
}

inline std::vector<Array> run(const std::string& text, const std::vector<Array>& inputs,
                              const std::vector<Type>& types) {
  auto result = try_run(text, inputs, types);
  EXPECT_TRUE(result.ok()) << result.status().message();
  return result.ok() ? *result : std::vector<Array>(types.size());
}
inline Array run1(const std::string& text, const std::vector<Array>& inputs,
                  Type type = Type::f32) {
  return run(text, inputs, {type})[0];
}

// Returns the error.
inline std::string failure(const std::string& text, const std::vector<Array>& inputs,
                           const std::vector<Type>& types = {Type::f32}) {
  auto result = try_run(text, inputs, types);
  return result.ok() ? "nothing" : result.status().message();
}

// Seeded arrays with ties, as there are few different values.
class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  int64_t below(int64_t end) { return std::uniform_int_distribution<int64_t>(0, end - 1)(engine_); }
  float uniform(float from, float to) {
    return std::uniform_real_distribution<float>(from, to)(engine_);
  }
  Array coarse(Shape shape) {
    return fill(std::move(shape), [&] { return static_cast<float>(below(7)) / 4 - 0.75F; });
  }
  Array fine(Shape shape, float from = -2, float to = 2) {
    return fill(std::move(shape), [&] { return uniform(from, to); });
  }
  Array positions(Shape shape, int64_t end) {
    Array array = integers(shape, {});
    std::vector<int32_t> values(static_cast<size_t>(host::count(shape)));
    for (int32_t& value : values) value = static_cast<int32_t>(below(2 * end) - end);
    array.values = std::move(values);
    return array;
  }

 private:
  template <class Draw>
  Array fill(Shape shape, Draw draw) {
    std::vector<float> values(static_cast<size_t>(host::count(shape)));
    for (float& value : values) value = draw();
    return floats(std::move(shape), std::move(values));
  }
  std::mt19937 engine_;
};

// Returns an element by its position, axis by axis.
template <class Values>
auto at(const Values& values, const Shape& shape, const std::vector<int64_t>& place) {
  int64_t offset = 0;
  for (size_t i = 0; i < shape.size(); ++i) offset = offset * shape[i] + place[i];
  return values[static_cast<size_t>(offset)];
}

// Calls body(position) for every position of a shape.
template <class Function>
void for_each_place(const Shape& shape, Function function) {
  for (int64_t i = 0; i < host::count(shape); ++i) {
    std::vector<int64_t> place(shape.size());
    int64_t rest = i;
    for (size_t axis = shape.size(); axis-- > 0; rest /= shape[axis])
      place[axis] = rest % shape[axis];
    function(place);
  }
}

// Expects values within the tolerance; any NaN equals any NaN.
inline void expect_floats(const Array& array, const std::vector<float>& expected,
                          float tolerance = 0) {
  ASSERT_EQ(array.type(), Type::f32);
  ASSERT_EQ(array.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    if (std::isnan(expected[i]))
      EXPECT_TRUE(std::isnan(array.f32()[i])) << i;
    else
      EXPECT_NEAR(array.f32()[i], expected[i], tolerance * std::max(1.0F, std::fabs(expected[i])))
          << i;
  }
}

}  // namespace tputwin::testing
