// Concatenations whose inputs others have joined before, as in dense nets.
#include <optional>
#include <utility>

#include "bmnet/targets/bm1684/target.h"
#include "bmnet/targets/bm1684x/moves/join_concats.h"
#include "bmnet_bm1684x/interpreter.h"
#include "bmnet_bm1684x/net_builder.h"
#include "common/rng.h"

namespace tputwin::net::testing {
namespace {

using tputwin::testing::RandomCases;
using tputwin::testing::Rng;

TensorOp concat(int axis) {
  TensorOp op;
  set_type(op, Op::concat);
  op.mutable_tg_concat_param()->set_axis(axis);
  return op;
}

TensorOp relu() {
  TensorOp op;
  set_type(op, Op::activation);
  op.mutable_tg_activation_param()->set_activation(::bmnet::RELU);
  return op;
}

// A convolution of one tap, whose weights have this size.
std::string convolution(NetBuilder& b, const std::string& x, int64_t outputs, float size) {
  const Extent d = b.dims(x);
  TensorOp op;
  set_type(op, Op::convolution);
  auto& p = *op.mutable_tg_convolution_param();
  for (auto* list : {p.mutable_kernel_size(), p.mutable_stride(), p.mutable_dilation()})
    for (int i = 0; i < 2; ++i) list->Add(1);
  for (int i = 0; i < 4; ++i) p.add_pad(0);
  p.set_group(1);
  *op.add_output_shape() = make_shape({d[0], outputs, d[2], d[3]});
  return b.layer(std::move(op), {x},
                 {net::testing::random_blob({outputs, d[1], 1, 1}, b.net.ops.size(), -size, size)});
}

// Each layer reads all earlier results, which it joins itself.
Network dense(int64_t layers) {
  NetBuilder b;
  std::vector<std::string> all = {convolution(b, b.input("x", {1, 8, 6, 6}), 16, 1)};
  for (int64_t i = 0; i < layers; ++i) {
    const std::string joined = i == 0 ? all[0] : b.layer(concat(1), all);
    all.push_back(convolution(b, b.layer(relu(), {joined}), 8, 0.3f));
  }
  return b.finished({convolution(b, b.layer(concat(1), all), 8, 0.1f)});
}

// Draws concatenations of runs of tensors, some of which are outputs, along any axis.
class RandomConcats {
 public:
  explicit RandomConcats(Rng& rng) : rng_(rng) {}

  Network draw() {
    const std::string x = b_.input("x", {rng_.range(1, 5), 4, 3, rng_.range(1, 5)});
    axis_ = rng_.chance(1, 4) ? static_cast<int>(rng_.range(0, 3)) : 1;
    for (uint32_t i = rng_.range(2, 6); i > 0; --i) parts_.push_back(part(x));
    std::vector<std::string> outputs;
    for (uint32_t i = rng_.range(3, 9); i > 0; --i) {
      const std::string joined = b_.layer(concat(axis_), run_of_parts());
      outputs.push_back(rng_.chance(1, 4) ? joined : part(joined));
      const bool fits = b_.dims(outputs.back()) == b_.dims(parts_[0]);
      if (fits && axis_ != 1) parts_.push_back(outputs.back());
      if (axis_ == 1 && rng_.chance(1, 2))
        parts_.push_back(rng_.chance(1, 3) ? joined : part(joined));
    }
    return b_.finished(outputs);
  }

 private:
  std::string part(const std::string& x) {
    const std::string y = convolution(b_, x, 4, rng_.chance(1, 3) ? 2.0f : 0.5f);
    return rng_.chance(1, 3) ? b_.layer(relu(), {y}) : y;
  }

  // Long runs hold short ones. Other orders and repetitions stay.
  std::vector<std::string> run_of_parts() {
    const size_t first = rng_.chance(2, 3) ? 0 : rng_.below(parts_.size() - 1);
    const size_t count = 2 + rng_.below(parts_.size() - first - 1);
    std::vector<std::string> run(parts_.begin() + static_cast<ptrdiff_t>(first),
                                 parts_.begin() + static_cast<ptrdiff_t>(first + count));
    if (rng_.chance(1, 6)) std::swap(run.front(), run.back());
    if (rng_.chance(1, 6)) run.push_back(run.front());
    return run;
  }

  Rng& rng_;
  NetBuilder b_;
  int axis_ = 1;
  std::vector<std::string> parts_;
};

TEST(JoinedConcats, RandomRunsHaveTheValuesOfFloatExecution) {
  const RandomCases cases(16);
  for (uint64_t index = cases.first; index < cases.end(); ++index) {
    SCOPED_TRACE(cases.rerun(index));
    Rng rng = cases.rng(index);
    const Network network = RandomConcats(rng).draw();
    for (const auto& [type, tolerance] :
         {std::pair(DType::f32, 1e-5f), {DType::f16, 1e-2f}, {DType::i8, 0.1f}})
      EXPECT_EQ(compare(network, type, tolerance, index), "") << to_string(type);
    const bm1684x::ScopedTarget scope(bm1684::bm1684_target());
    EXPECT_EQ(compare(network, DType::f32, 1e-5f, index), "") << "BM1684";
    const Values inputs = random_inputs(network, index);
    if (is_of_bytes(network)) {
      EXPECT_EQ(difference_from_interpreter(network, inputs), "") << "BM1684";
    }
  }
}

// Each result is written once, where all later layers read it.
TEST(JoinedConcats, CopyNothing) {
  for (const bool is_bm1684 : {false, true})
    for (const DType type : {DType::f32, DType::i8}) {
      SCOPED_TRACE(fmt::format("BM1684 {}, {}", is_bm1684, to_string(type)));
      std::optional<bm1684x::ScopedTarget> scope;
      if (is_bm1684) scope.emplace(bm1684::bm1684_target());
      const Network network = dense(8);
      const NetCalibrationParameter table = largest_values(network, random_inputs(network, 1));
      const auto compiled = bm1684x::compile(network, {.type = type, .table = &table});
      ASSERT_TRUE(compiled.ok()) << compiled.status().message();
      EXPECT_EQ(compiled->explanation.find("moved by transfers"), std::string::npos)
          << compiled->explanation;
    }
}

// Returns the concatenations of a dense net of three layers, joined, if each has `growth` times the
// threshold of the one before.
struct Joined {
  std::vector<int> inputs;
  std::vector<float> ranges;
};
Joined joined(float growth, bool have_one_type) {
  Network network = dense(3);
  std::map<std::string, float> ranges;
  float range = 1;
  for (const TensorOp& op : network.ops)
    if (is(op, Op::concat)) ranges[op.top(0)] = std::exchange(range, range * growth);
  bm1684x::join_concats(network, ranges,
                        [&](const TensorOp&, const TensorOp&) { return have_one_type; });
  Joined result;
  for (const TensorOp& op : network.ops) {
    if (!is(op, Op::concat)) continue;
    result.inputs.push_back(op.bottom_size());
    result.ranges.push_back(ranges[op.top(0)]);
  }
  return result;
}

// Concatenations share their largest threshold, unless one has less than half of it.
TEST(JoinedConcats, GrowToTwiceTheirRange) {
  EXPECT_EQ(joined(1.25f, true).inputs, (std::vector{2, 2, 2}));
  EXPECT_EQ(joined(1.25f, true).ranges, (std::vector{1.5625f, 1.5625f, 1.5625f}));
  // The third has more than twice the range of the first.
  EXPECT_EQ(joined(1.5f, true).inputs, (std::vector{2, 2, 4}));
  EXPECT_EQ(joined(1.5f, true).ranges, (std::vector{1.5f, 1.5f, 2.25f}));
  EXPECT_EQ(joined(4, true).inputs, (std::vector{2, 3, 4}));
  EXPECT_EQ(joined(4, true).ranges, (std::vector{1.0f, 4.0f, 16.0f}));
}

TEST(JoinedConcats, HaveOneType) { EXPECT_EQ(joined(1, false).inputs, (std::vector{2, 3, 4})); }

}  // namespace
}  // namespace tputwin::net::testing
