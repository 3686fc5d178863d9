// Pads, reversals and running sums of long axes. Expected values are those of ONNX's formulas.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "bmnet_onnx/calibrated.h"

namespace tputwin::test::long_axes {
namespace {

using Dims = std::vector<int64_t>;

net::Blob numbered(const Dims& dims) {
  net::Blob blob{dims, {}};
  int64_t count = 1;
  for (const int64_t d : dims) count *= d;
  for (int64_t i = 0; i < count; ++i) blob.data.push_back(static_cast<float>(i % 251) / 2 - 60);
  return blob;
}

net::Network network_of(const ModelBuilder& builder) {
  auto network = import(builder.model);
  EXPECT_TRUE(network.ok()) << network.status().message();
  return network.ok() ? std::move(*network) : net::Network();
}

std::vector<float> results(const ModelBuilder& builder, const Blobs& inputs) {
  const net::Network network = network_of(builder);
  auto result = run_float(network, inputs);
  EXPECT_TRUE(result.ok()) << result.status().message();
  return result.ok() ? result->begin()->second.data : std::vector<float>{};
}

// ---- Pads ----

struct Pads {
  Dims dims, pads;
  std::string mode;
  float value = 0;

  Dims result() const {
    Dims all = dims;
    for (size_t i = 0; i < dims.size(); ++i) all[i] += pads[i] + pads[dims.size() + i];
    return all;
  }
};

// Returns the position that a result has along an axis; -1 for a constant.
int64_t source_of(int64_t at, int64_t before, int64_t size, const std::string& mode) {
  const int64_t i = at - before;
  if (i >= 0 && i < size) return i;
  if (mode == "edge") return i < 0 ? 0 : size - 1;
  if (mode == "reflect") return i < 0 ? -i : 2 * size - 2 - i;
  return mode == "wrap" ? (i % size + size) % size : -1;
}

std::vector<float> padded(const net::Blob& x, const Pads& p) {
  const Dims result = p.result();
  int64_t count = 1;
  for (const int64_t d : result) count *= d;
  std::vector<float> y;
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i, from = 0, step = 1;
    bool is_constant = false;
    for (size_t axis = result.size(); axis-- > 0; step *= p.dims[axis]) {
      const int64_t at = rest % result[axis];
      rest /= result[axis];
      const int64_t source = source_of(at, p.pads[axis], p.dims[axis], p.mode);
      is_constant = is_constant || source < 0;
      from += source * step;
    }
    y.push_back(is_constant ? p.value : x.data[static_cast<size_t>(from)]);
  }
  return y;
}

ModelBuilder model_of(const Pads& p) {
  ModelBuilder builder(19);
  builder.input("x", p.dims);
  builder.integers("pads", {static_cast<int64_t>(p.pads.size())}, p.pads);
  builder.weights("value", {}, {p.value});
  auto& node = builder.node("Pad", {"x", "pads", "value"}, {"y"});
  ModelBuilder::set(node, "mode", p.mode);
  builder.output("y");
  return builder;
}

const Pads kPads[] = {
    {{1, 2, 2, 5}, {0, 0, 0, 700, 0, 0, 0, 0}, "constant"},
    {{2, 2, 2, 5}, {0, 0, 0, 7, 0, 0, 0, 9000}, "constant", 2.5f},
    {{2, 2, 70}, {0, 0, 100, 0, 0, 61}, "constant", -1},
    {{1, 2, 3, 5}, {0, 0, 400, 0, 0, 0, 1, 1}, "constant"},
    {{2, 3, 2, 50}, {0, 1, -1, 100, 1, 0, 2, -4}, "constant", 0.5f},
    {{1, 2, 3, 5}, {0, 0, 3, 7000, 0, 0, 2, 1}, "edge"},
    {{2, 2, 3, 5000}, {0, 0, -1, 100, 0, 0, 2, -4}, "edge"},
    {{2, 2, 3, 5}, {0, 0, 3, 5000, 0, 0, 2, 4}, "wrap"},
    {{2, 2, 4097}, {0, 0, 9001, 0, 0, 5000}, "wrap"},
    {{7001}, {3, 7000}, "wrap"},
    {{2, 2, 3, 2500}, {0, 0, 2, 2499, 0, 0, 2, 2499}, "reflect"},
    {{2, 2, 4099}, {0, 0, 4098, 0, 0, 3}, "reflect"},
    {{2, 2, 2, 2, 4100}, {0, 0, 0, 1, 100, 0, 0, 0, 0, 3}, "reflect"},
};

TEST(LongAxes, ArePadded) {
  for (const Pads& p : kPads) {
    SCOPED_TRACE(
        fmt::format("{} of ({}) by ({})", p.mode, fmt::join(p.dims, ","), fmt::join(p.pads, ",")));
    const net::Blob x = numbered(p.dims);
    EXPECT_EQ(results(model_of(p), {{"x", x}}), padded(x, p));
  }
}

// Pads need few layers, however many elements they have.
TEST(LongAxes, ArePaddedByFewLayers) {
  for (const Pads& p : kPads) {
    const net::Network network = network_of(model_of(p));
    EXPECT_LT(network.ops.size(), 60u)
        << p.mode << " " << fmt::format("{}", fmt::join(p.pads, ","));
  }
}

// With one threshold for all tensors, as calibration gives moves, bytes are copied.
TEST(LongAxes, ArePaddedInBytes) {
  for (const size_t i : {0, 1, 5, 7}) {
    const Pads& p = kPads[i];
    const net::Blob x = numbered(p.dims);
    net::Network network = network_of(model_of(p));
    NetCalibrationParameter thresholds;
    for (const net::TensorOp& op : network.ops) {
      if (net::is(op, net::Op::end)) continue;
      auto& entry = *thresholds.add_layer();
      entry.set_name(op.name());
      auto& blob = *entry.add_blob_param();
      blob.set_name(op.top(0));
      blob.set_threshold_y(64);
    }
    auto net = quantized(std::move(network), {{"x", x}}, thresholds);
    ASSERT_TRUE(net.ok()) << net.status().message();
    auto y = run_int8(*net, {{"x", x}});
    ASSERT_TRUE(y.ok()) << y.status().message();
    EXPECT_EQ(y->begin()->second.data, padded(x, p)) << p.mode;
  }
}

// ---- Reversals ----

TEST(LongAxes, AreReversed) {
  for (const int64_t size : {257, 300, 1024, 5003})
    for (const size_t axis : {0, 1, 2}) {
      Dims dims{2, 3, 2};
      dims[axis] = size;
      ModelBuilder builder(13);
      builder.input("x", dims);
      const auto number = [&](const char* name, int64_t value) {
        builder.integers(name, {1}, {value});
      };
      number("starts", -1);
      number("ends", -size - 1);
      number("axes", static_cast<int64_t>(axis));
      number("steps", -1);
      builder.node("Slice", {"x", "starts", "ends", "axes", "steps"}, {"y"});
      builder.output("y");
      const net::Blob x = numbered(dims);
      const auto y = results(builder, {{"x", x}});
      ASSERT_EQ(y.size(), x.data.size());
      int64_t inner = 1;
      for (size_t i = axis + 1; i < 3; ++i) inner *= dims[i];
      for (int64_t i = 0; i < static_cast<int64_t>(y.size()); ++i) {
        const int64_t at = i / inner % size;
        ASSERT_EQ(y[static_cast<size_t>(i)],
                  x.data[static_cast<size_t>(i + (size - 1 - 2 * at) * inner)])
            << size << " axis " << axis << " at " << i;
      }
    }
}

// ---- Running sums ----

TEST(LongAxes, AreSummed) {
  for (const Dims& dims : {Dims{2, 385}, {3, 500, 2}, {1000}, {1, 2, 1, 3000}, {2, 70001}})
    for (const bool exclusive : {false, true})
      for (const bool reverse : {false, true}) {
        const size_t axis = static_cast<size_t>(std::ranges::max_element(dims) - dims.begin());
        ModelBuilder builder(14);
        builder.input("x", dims);
        builder.integers("axis", {}, {static_cast<int64_t>(axis)});
        auto& node = builder.node("CumSum", {"x", "axis"}, {"y"});
        ModelBuilder::set(node, "exclusive", int64_t{exclusive});
        ModelBuilder::set(node, "reverse", int64_t{reverse});
        builder.output("y");
        net::Blob x = numbered(dims);
        for (float& v : x.data) v = std::floor(v / 16);  // all sums are whole numbers of fp32
        const auto y = results(builder, {{"x", x}});
        ASSERT_EQ(y.size(), x.data.size());
        int64_t inner = 1;
        for (size_t i = axis + 1; i < dims.size(); ++i) inner *= dims[i];
        const int64_t size = dims[axis], outer = static_cast<int64_t>(y.size()) / size / inner;
        for (int64_t o = 0; o < outer * inner; ++o) {
          float sum = 0;
          for (int64_t k = 0; k < size; ++k) {
            const int64_t at = reverse ? size - 1 - k : k;
            const auto i = static_cast<size_t>((o / inner * size + at) * inner + o % inner);
            const float before = sum;
            sum += x.data[i];
            ASSERT_EQ(y[i], exclusive ? before : sum) << size << " at " << i;
          }
        }
      }
}

}  // namespace
}  // namespace tputwin::test::long_axes
