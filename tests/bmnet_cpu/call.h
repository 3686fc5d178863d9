// One call of a CPU operator.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/errors/bmnet.h"
#include "bmnet/cpu_ops/cpu_ops.h"

namespace tputwin::test {

using Floats = std::vector<float>;
using Shape = std::vector<int64_t>;

struct CpuCall {
  explicit CpuCall(const std::string& type) {
    op.set_name("layer");
    op.set_type(type);
  }
  CpuCall& input(const Shape& shape, const Floats& values) {
    inputs.emplace_back(shape, values);
    return *this;
  }
  CpuCall& output(const Shape& shape) {
    out_shape = shape;
    return *this;
  }

  Status status(Floats* values = nullptr) const {
    int64_t count = 1;
    for (int64_t d : out_shape) count *= d;
    Floats out(static_cast<size_t>(count), NAN);
    std::vector<net::ConstTensor> in;
    for (const auto& [shape, data] : inputs) in.push_back({shape, data.data()});
    const net::MutableTensor to{out_shape, out.data()};
    Status status = net::run_cpu_op(op, in, {&to, 1});
    if (values != nullptr) *values = out;
    return status;
  }
  Floats run() const {
    Floats values;
    const Status result = status(&values);
    EXPECT_TRUE(result.ok()) << result.message();
    return values;
  }
  // Expects that the operator refuses the call.
  void expect_refused() const {
    const Status result = status();
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().id(), errors::net_cpu_shape) << result.message();
  }

  bmnet::LayerParameter op;
  std::vector<std::pair<Shape, Floats>> inputs;
  Shape out_shape;
};

inline void expect_near(const Floats& values, const Floats& expected, float tolerance = 1e-5F) {
  ASSERT_EQ(values.size(), expected.size());
  for (size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], expected[i], tolerance) << i;
}

}  // namespace tputwin::test
