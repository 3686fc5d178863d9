// Nets with operators of the host: parts of the chip and of the host by turns have the values of
// float execution, and become files whose subnets the runtime accepts.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "bmnet/targets/bm1684/target.h"
#include "bmnet/targets/bm1684x/subnets/host_layers.h"
#include "bmnet/targets/bm1684x/subnets/subnets.h"
#include "bmnet_bm1684x/net_builder.h"
#include "bmnet_bm1684x/support.h"
#include "bmodel/bm168x/model.h"
#include "bmodel/bm168x/subnets.h"
#include "selftest/rng.h"

namespace tputwin::net::testing {
namespace {

using tputwin::testing::Rng;

TensorOp relu() {
  TensorOp op;
  set_type(op, Op::activation);
  op.mutable_tg_activation_param()->set_activation(::bmnet::RELU);
  return op;
}

TensorOp power(float exponent, float shift) {
  TensorOp op;
  set_type(op, Op::power);
  op.mutable_tg_power_param()->set_power(exponent);
  op.mutable_tg_power_param()->set_shift(shift);
  return op;
}

TensorOp concat() {
  TensorOp op;
  set_type(op, Op::concat);
  op.mutable_tg_concat_param()->set_axis(1);
  return op;
}

// Expects a file whose subnets make a graph that the runtime accepts.
void expect_file(const Network& network, DType type) {
  auto compiled = bm1684x::compile(network, {.type = type});
  ASSERT_TRUE(compiled.ok()) << compiled.status().message();
  auto bytes = bm1684x::to_file(*compiled, "net");
  ASSERT_TRUE(bytes.ok()) << bytes.status().message();
  auto file = bmodel::bm168x::read(*bytes);
  ASSERT_TRUE(file.ok()) << file.status().message();
  const auto& stage = *file->model.net[0]->parameter[0];
  EXPECT_EQ(stage.sub_net.size(), std::max<size_t>(1, compiled->subnets.size()));
  auto graph = bmodel::bm168x::subnet_graph(stage);
  EXPECT_TRUE(graph.ok()) << graph.status().message();
}

// ---- Random nets ----

class RandomSubnets {
 public:
  RandomSubnets(uint64_t seed, uint64_t index) : rng_(seed, index) {}

  Network draw() {
    const uint32_t inputs = rng_.range(1, 2);
    for (uint32_t i = 0; i < inputs; ++i)
      tensors_.push_back(b_.input(fmt::format("x{}", i), {rng_.range(1, 2), rng_.range(1, 5),
                                                          rng_.range(1, 6), rng_.range(1, 6)}));
    for (uint32_t i = rng_.range(3, 14); i > 0; --i)
      tensors_.push_back(rng_.chance(1, 2) ? on_chip() : on_host());
    std::vector<std::string> outputs{tensors_.back()};
    for (const std::string& t : tensors_)
      if (t[0] == 't' && t != outputs[0] && rng_.chance(1, 5)) outputs.push_back(t);
    if (rng_.chance(1, 3)) outputs.push_back(varying());
    return b_.finished(outputs);
  }

 private:
  const std::string& any() { return tensors_[rng_.below(tensors_.size())]; }
  // A tensor that has the extents of `like`, but for one axis.
  std::string partner(const std::string& like, size_t axis) {
    std::string found = like;
    Extent wanted = b_.dims(like);
    for (const std::string& t : tensors_) {
      Extent dims = b_.dims(t);
      if (dims.size() != wanted.size()) continue;
      dims[axis] = wanted[axis];
      if (dims == wanted && rng_.chance(1, 2)) found = t;
    }
    return found;
  }

  std::string on_chip() {
    const std::string x = any();
    const Extent d = b_.dims(x);
    switch (rng_.below(5)) {
      case 0:
        return b_.layer(relu(), {x});
      case 1:
        return b_.layer(power(2, 0.5f), {x});
      case 2:
        return b_.layer(concat(), {x, partner(x, 1)});
      case 3:
        return b_.layer(reshape({d[0], d[1] * d[2], d[3], 1}), {x});
      default: {
        TensorOp op;
        set_type(op, Op::permute);
        for (const uint32_t axis : {0, 1, 3, 2}) op.mutable_tg_permute_param()->add_order(axis);
        return b_.layer(std::move(op), {x});
      }
    }
  }

  std::string on_host() {
    const std::string x = any();
    Extent d = b_.dims(x);
    switch (rng_.below(6)) {
      case 0:
        return b_.host("unary op=neg", {x}, d);
      case 1:
        return b_.host("transpose order=0,2,1,3", {x}, {d[0], d[2], d[1], d[3]});
      case 2: {
        const uint32_t end = rng_.range(1, static_cast<uint32_t>(d[1]));
        d[1] = end;
        return b_.host(fmt::format("slice axis=1 end={}", end), {x}, d);
      }
      case 3: {
        const std::string other = partner(x, 2);
        d[2] += b_.dims(other)[2];
        return b_.host("concat axis=2", {x, other}, d);
      }
      case 4: {
        Blob positions{{3}, {}};
        for (int i = 0; i < 3; ++i)
          positions.data.push_back(static_cast<float>(rng_.below(static_cast<uint64_t>(d[3]))));
        d[3] = 3;
        return b_.host("gather axis=3", {x}, d, {positions});
      }
      default:
        return top(x, d);
    }
  }

  // Layers that the chip has no commands for, and that are no operators of the host yet.
  std::string top(const std::string& x, const Extent& d) {
    TensorOp op;
    const bool values = rng_.chance(1, 2);
    set_type(op, values ? Op::top_values : Op::top_positions);
    auto& p = values ? *op.mutable_tg_top_values_param() : *op.mutable_tg_top_positions_param();
    p.set_axis(1);
    p.set_count(rng_.range(1, static_cast<uint32_t>(d[1])));
    const std::string first = b_.layer(op, {x});
    if (!values) return b_.host("unary op=identity", {first}, b_.dims(first));
    if (rng_.chance(1, 2)) return first;
    TensorOp other;
    set_type(other, Op::top_positions);
    *other.mutable_tg_top_positions_param() = p;
    tensors_.push_back(first);
    const std::string positions = b_.layer(std::move(other), {x});
    return b_.host("unary op=identity", {positions}, b_.dims(positions));
  }

  std::string varying() {
    const std::string x = b_.layer(relu(), {any()});
    const Extent d = b_.dims(x);
    const int64_t all = d[0] * d[1] * d[2] * d[3];
    const std::string found = b_.host("nonzero order=torch", {x}, {all, 4});
    b_.net.ops.back().mutable_tg_host_param()->set_varies(true);
    return b_.host("unary op=neg", {found}, {all, 4});
  }

  Rng rng_;
  NetBuilder b_;
  std::vector<std::string> tensors_;
};

TEST(Bm1684xSubnets, RandomNetsHaveTheValuesOfFloats) {
  constexpr uint64_t kSeed = 1;
  for (uint64_t index = 0; index < 16; ++index) {
    SCOPED_TRACE(fmt::format("RandomSubnets({}, {})", kSeed, index));
    const Network network = RandomSubnets(kSeed, index).draw();
    // Inputs are numbers of 16 bits, so that positions are equal in all types.
    Values inputs = random_inputs(network, index);
    for (auto& [name, blob] : inputs)
      for (float& x : blob.data) x = std::round(x * 16) / 16;
    ASSERT_EQ(compare(network, DType::f32, 1e-5f, inputs), "");
    expect_file(network, DType::f16);
  }
}

// ---- Single cases ----

TEST(Bm1684xSubnets, ValuesAndPositionsAreOneOperator) {
  NetBuilder b;
  const std::string x = b.layer(relu(), {b.input("x", {1, 9, 2, 2})});
  TensorOp values, positions;
  set_type(values, Op::top_values);
  values.mutable_tg_top_values_param()->set_count(3);
  set_type(positions, Op::top_positions);
  positions.mutable_tg_top_positions_param()->set_count(3);
  const std::string a = b.layer(values, {x}), c = b.layer(positions, {x});
  const Network network = b.finished({a, c});
  auto compiled = bm1684x::compile(network, {});
  ASSERT_TRUE(compiled.ok()) << compiled.status().message();
  ASSERT_EQ(compiled->subnets.size(), 2u);
  EXPECT_EQ(compiled->subnets[1].host, "topk axis=1 k=3 largest=1");
  EXPECT_EQ(compare(network, DType::f32, 0, 1), "");
}

TEST(Bm1684Subnets, HaveTheValuesOfFloatExecution) {
  NetBuilder b;
  const std::string x = b.layer(relu(), {b.input("x", {1, 4, 3, 3})});
  const std::string y = b.layer(relu(), {b.host("unary op=neg", {x}, {1, 4, 3, 3})});
  const Network network = b.finished({b.host("unary op=abs", {y}, {1, 4, 3, 3}), x});
  const bm1684x::ScopedTarget scope(bm1684::bm1684_target());
  for (const DType type : {DType::f32, DType::i8})
    EXPECT_EQ(compare(network, type, 1e-2f, 1), "") << to_string(type);
}

// Integers that the host reads would be rounded to 16 bits. Other inputs have the type of the net.
TEST(Bm1684xSubnets, InputsOfTheHostStayFp32) {
  NetBuilder b;
  const std::string x = b.input("x", {1, 4, 3, 3}), i = b.input("i", {1, 4, 3, 3});
  const std::string y = b.layer(relu(), {x}), z = b.host("unary op=neg", {i}, {1, 4, 3, 3});
  const auto compiled =
      bm1684x::compile(b.finished({y, z}), {.type = DType::bf16, .float_inputs = false});
  ASSERT_TRUE(compiled.ok()) << compiled.status().message();
  ASSERT_EQ(compiled->inputs.size(), 2u);
  EXPECT_EQ(compiled->inputs[0].type, DType::bf16);
  EXPECT_EQ(compiled->inputs[1].type, DType::f32);
}

TEST(Bm1684xSubnets, LayersOfTheChipFollowEachOther) {
  NetBuilder b;
  const std::string x = b.input("x", {1, 4, 3, 3});
  std::vector<std::string> ends;
  for (int i = 0; i < 3; ++i) {
    const std::string y = b.layer(power(1, static_cast<float>(i)), {x});
    ends.push_back(b.layer(relu(), {b.host("unary op=neg", {y}, {1, 4, 3, 3})}));
  }
  const Network network = b.finished(ends);
  auto compiled = bm1684x::compile(network, {.type = DType::f16});
  ASSERT_TRUE(compiled.ok()) << compiled.status().message();
  // One part of the chip, three operators, one part of the chip.
  EXPECT_EQ(compiled->subnets.size(), 5u);
  EXPECT_EQ(compare(network, DType::f16, 1e-3f, 1), "");
}

TEST(Bm1684xSubnets, OutputsHaveTheExtentsOfTheRun) {
  NetBuilder b;
  const std::string x = b.layer(relu(), {b.input("x", {1, 1, 1, 5})});
  const std::string found = b.host("nonzero order=torch", {x}, {5, 4});
  const Network network = b.finished({found});
  auto compiled = bm1684x::compile(network, {});
  ASSERT_TRUE(compiled.ok()) << compiled.status().message();
  auto some = run(*compiled, network, {{"x", {{1, 1, 1, 5}, {1, -1, 0, 2, -3}}}});
  ASSERT_TRUE(some.ok()) << some.status().message();
  EXPECT_EQ((*some)[0], (std::vector<float>{0, 0, 0, 0, 0, 0, 0, 3}));
  auto none = run(*compiled, network, {{"x", {{1, 1, 1, 5}, {-1, -1, 0, -2, -3}}}});
  ASSERT_TRUE(none.ok()) << none.status().message();
  EXPECT_TRUE((*none)[0].empty());
}

}  // namespace
}  // namespace tputwin::net::testing
