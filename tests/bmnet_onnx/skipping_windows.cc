// Pools whose windows skip elements, averages with pads that count, and long running sums.
// Expected values are those of ONNX Runtime 1.30 (CPU, optimizations off), or of ONNX's formula.
#include <cmath>

#include "bmnet_onnx/calibrated.h"

namespace tputwin::test::skipping_windows {
namespace {

using Dims = std::vector<int64_t>;

std::vector<float> results(const ModelBuilder& builder, const Blobs& inputs) {
  auto network = import(builder.model);
  EXPECT_TRUE(network.ok()) << network.status().message();
  if (!network.ok()) return {};
  auto result = run_float(*network, inputs);
  EXPECT_TRUE(result.ok()) << result.status().message();
  return result.ok() ? result->begin()->second.data : std::vector<float>{};
}

struct Pool {
  int64_t kernel, stride, dilation, pad;
};

// Returns maxima of a map of size x size, or averages, in plain loops.
std::vector<float> pooled(const std::vector<float>& x, int64_t size, const Pool& p, bool max) {
  const int64_t outputs = (size + 2 * p.pad - (p.kernel - 1) * p.dilation - 1) / p.stride + 1;
  std::vector<float> y;
  for (int64_t row = 0; row < outputs; ++row)
    for (int64_t column = 0; column < outputs; ++column) {
      double best = -INFINITY, sum = 0, count = 0;
      for (int64_t i = 0; i < p.kernel; ++i)
        for (int64_t k = 0; k < p.kernel; ++k) {
          const int64_t r = row * p.stride + i * p.dilation - p.pad,
                        c = column * p.stride + k * p.dilation - p.pad;
          if (r < 0 || c < 0 || r >= size || c >= size) continue;
          const double value = x[static_cast<size_t>(r * size + c)];
          best = std::max(best, value);
          sum += value;
          ++count;
        }
      y.push_back(static_cast<float>(max ? best : sum / count));
    }
  return y;
}

ModelBuilder pool(const char* type, int64_t size, const Pool& p) {
  ModelBuilder builder(19);
  builder.input("x", {1, 1, size, size});
  auto& node = builder.node(type, {"x"}, {"y"});
  ModelBuilder::set(node, "kernel_shape", Dims{p.kernel, p.kernel});
  ModelBuilder::set(node, "strides", Dims{p.stride, p.stride});
  ModelBuilder::set(node, "dilations", Dims{p.dilation, p.dilation});
  ModelBuilder::set(node, "pads", Dims(4, p.pad));
  builder.output("y");
  return builder;
}

constexpr Pool kPools[] = {{2, 1, 2, 0}, {3, 1, 2, 2}, {3, 2, 2, 1}, {3, 2, 3, 2}, {2, 3, 4, 1}};

TEST(SkippingWindows, InFloat) {
  constexpr int64_t kSize = 10;
  const auto x = random_values(kSize * kSize, 5, -4, -1);
  for (const char* type : {"MaxPool", "AveragePool"})
    for (const Pool& p : kPools) {
      SCOPED_TRACE(::testing::Message() << type << p.kernel << p.stride << p.dilation << p.pad);
      const auto actual = results(pool(type, kSize, p), {{"x", {{1, 1, kSize, kSize}, x}}});
      const auto expected = pooled(x, kSize, p, type[0] == 'M');
      ASSERT_EQ(actual.size(), expected.size());
      for (size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 1e-5) << i;
    }
}

TEST(SkippingWindows, InInt8) {
  constexpr int64_t kSize = 10;
  const auto x = random_values(kSize * kSize, 6, -4, -1);
  const Blobs inputs{{"x", {{1, 1, kSize, kSize}, x}}};
  for (const Pool& p : kPools) {
    auto net = calibrated(pool("MaxPool", kSize, p).model, {inputs});
    ASSERT_TRUE(net.ok()) << net.status().message();
    auto actual = run_int8(net->net, inputs);
    ASSERT_TRUE(actual.ok()) << actual.status().message();
    const auto expected = pooled(x, kSize, p, true);
    for (size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(actual->at("y").data[i], expected[i], 0.1) << i;
  }
}

// ONNX Runtime's pads of SAME do not count the dilation, as ONNX's do.
TEST(SkippingWindows, OfAutomaticPadsAreRefused) {
  ModelBuilder builder = pool("MaxPool", 8, {3, 2, 2, 0});
  auto& node = *builder.model.mutable_graph()->mutable_node(0);
  node.mutable_attribute()->RemoveLast();
  ModelBuilder::set(node, "auto_pad", std::string("SAME_UPPER"));
  auto network = import(builder.model);
  ASSERT_FALSE(network.ok());
  EXPECT_NE(network.status().message().find("node n_y (MaxPool): auto_pad = SAME_UPPER"),
            std::string::npos)
      << network.status().message();
}

// SAME adds pads and never removes elements, as in ONNX Runtime's Conv. Its AveragePool with
// SAME_UPPER begins at the second element (findings/ort-pool-same-negative-pads.sh).
TEST(SkippingWindows, SmallerThanTheirStrideBeginAtTheFirstElement) {
  const std::vector<float> x{1, 2, 3, 4, 5, 6, 7, 8, 9};
  for (const char* type : {"MaxPool", "AveragePool"})
    for (const char* pads : {"SAME_UPPER", "SAME_LOWER"}) {
      SCOPED_TRACE(::testing::Message() << type << " " << pads);
      ModelBuilder builder(13);
      builder.input("x", {1, 1, 9});
      auto& node = builder.node(type, {"x"}, {"y"});
      ModelBuilder::set(node, "kernel_shape", Dims{1});
      ModelBuilder::set(node, "strides", Dims{3});
      ModelBuilder::set(node, "auto_pad", std::string(pads));
      builder.output("y");
      EXPECT_EQ(results(builder, {{"x", {{1, 1, 9}, x}}}), (std::vector<float>{1, 4, 7}));
    }
}

// The last window has two elements and a pad that counts, and no more.
TEST(SkippingWindows, AveragesRoundedUp) {
  for (const auto& [counts, expected] :
       {std::pair(int64_t{1}, std::vector<float>{2.0f / 3, 2, 3.5f, 6.5f / 2}),
        std::pair(int64_t{0}, std::vector<float>{1, 2, 3.5f, 6.5f})}) {
    ModelBuilder builder(13);
    builder.input("x", {1, 1, 6});
    auto& node = builder.node("AveragePool", {"x"}, {"y"});
    ModelBuilder::set(node, "kernel_shape", Dims{3});
    ModelBuilder::set(node, "strides", Dims{2});
    ModelBuilder::set(node, "pads", Dims{1, 1});
    ModelBuilder::set(node, "ceil_mode", int64_t{1});
    ModelBuilder::set(node, "count_include_pad", counts);
    builder.output("y");
    const auto y = results(builder, {{"x", {{1, 1, 6}, {0, 2, 1, 3, 6.5f, 1}}}});
    ASSERT_EQ(y.size(), 4u);
    EXPECT_FLOAT_EQ(y[0], expected[0]);
    EXPECT_FLOAT_EQ(y[1], expected[1]);
  }
}

TEST(SkippingWindows, LongSums) {
  constexpr int64_t kCount = 9000;
  std::vector<float> x;
  for (int64_t i = 0; i < kCount; ++i) x.push_back(static_cast<float>(i % 7) - 3);
  for (const int64_t exclusive : {0, 1})
    for (const int64_t reverse : {0, 1}) {
      ModelBuilder builder(14);
      builder.input("x", {1, kCount});
      builder.integers("axis", {}, {1});
      auto& node = builder.node("CumSum", {"x", "axis"}, {"y"});
      ModelBuilder::set(node, "exclusive", exclusive);
      ModelBuilder::set(node, "reverse", reverse);
      builder.output("y");
      const auto y = results(builder, {{"x", {{1, kCount}, x}}});
      ASSERT_EQ(y.size(), x.size());
      float sum = 0;
      for (size_t k = 0; k < x.size(); ++k) {
        const size_t i = reverse != 0 ? x.size() - 1 - k : k;
        const float before = sum;
        sum += x[i];
        ASSERT_FLOAT_EQ(y[i], exclusive != 0 ? before : sum) << i;
      }
    }
}

}  // namespace
}  // namespace tputwin::test::skipping_windows
