// Nets whose layers have types of their own, and the search for these types.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "bmnet/calibrate/compare_tensors.h"
#include "bmnet/targets/bm1684/target.h"
#include "bmnet/targets/bm1684x/search/mixed_types.h"
#include "bmnet/targets/bm1684x/search/simulated_net.h"
#include "bmnet_bm1684x/support.h"

namespace tputwin::net::testing {
namespace {

using bm1684x::MixedSearch;
using bm1684x::MixedTask;
using bm1684x::SimulatedNet;

constexpr char kNet[] = R"(
  input: "data" input_shape { dim: 1 dim: 6 dim: 13 dim: 14 }
  layer { name: "a" type: "Convolution" bottom: "data" top: "a"
          convolution_param { num_output: 70 kernel_size: 3 pad: 1 } }
  layer { name: "a relu" type: "ReLU" bottom: "a" top: "ra" }
  layer { name: "b" type: "Convolution" bottom: "ra" top: "b"
          convolution_param { num_output: 70 kernel_size: 3 pad: 1 group: 70 } }
  layer { name: "sum" type: "Eltwise" bottom: "ra" bottom: "b" top: "sum" }
  layer { name: "gate" type: "Sigmoid" bottom: "sum" top: "gate" }
  layer { name: "pool" type: "Pooling" bottom: "gate" top: "pool"
          pooling_param { pool: AVE global_pooling: true } }
  layer { name: "y" type: "InnerProduct" bottom: "pool" top: "y"
          inner_product_param { num_output: 9 } })";

Network net_of_six_layers() {
  auto net = random_net(
      kNet, {{"a", {{70, 6, 3, 3}, {70}}}, {"b", {{70, 1, 3, 3}, {70}}}, {"y", {{9, 70}, {9}}}}, 3);
  EXPECT_TRUE(net.ok()) << net.status().message();
  return std::move(*net);
}

void set_type_of(NetCalibrationParameter& table, const std::string& layer, const char* type) {
  for (auto& entry : *table.mutable_layer())
    if (entry.name() == layer) entry.set_type(type);
}

double cosine_of(const Network& network, const NetCalibrationParameter& table, DType type,
                 const net::testing::Values& inputs) {
  auto executor = FloatExecutor::create(network);
  auto expected = (*executor)->run(inputs);
  auto compiled = bm1684x::compile(network, {.type = type, .table = &table});
  EXPECT_TRUE(compiled.ok()) << compiled.status().message();
  if (!compiled.ok()) return 0;
  auto actual = run(*compiled, network, inputs);
  EXPECT_TRUE(actual.ok()) << actual.status().message();
  if (!actual.ok()) return 0;
  Fit fit;
  fit.add(expected->at(network.outputs()[0]).data, (*actual)[0]);
  return fit.cosine();
}

TEST(Bm1684xMixed, LayersHaveTheirTypes) {
  const Network network = net_of_six_layers();
  const auto inputs = random_inputs(network, 1);
  NetCalibrationParameter table = largest_values(network, inputs);
  table.set_floats("fp16");
  set_type_of(table, "b", "fp16");
  set_type_of(table, "gate", "fp32");
  auto compiled = bm1684x::compile(network, {.type = DType::i8, .table = &table, .keep_all = true});
  ASSERT_TRUE(compiled.ok()) << compiled.status().message();
  const auto type_of = [&](const std::string& name) {
    for (const auto& t : compiled->kept)
      if (t.name == name) return t.type;
    return DType::i32;
  };
  EXPECT_EQ(type_of("ra"), DType::u8);
  EXPECT_EQ(type_of("b"), DType::f16);
  EXPECT_EQ(type_of("gate"), DType::f32);
}

// The bits are those of all levels.
TEST(Bm1684xMixed, LevelsAgree) {
  const Network network = net_of_six_layers();
  const auto inputs = random_inputs(network, 2);
  for (const char* type : {"fp16", "bf16", "fp32"})
    for (const char* layer : {"a", "b", "sum", "gate", "pool", "y"}) {
      NetCalibrationParameter table = largest_values(network, inputs);
      set_type_of(table, layer, type);
      std::vector<float> first;
      for (const Level level : {Level::none, Level::layer_group, Level::weight_optimization}) {
        auto compiled =
            bm1684x::compile(network, {.type = DType::i8, .table = &table, .level = level});
        ASSERT_TRUE(compiled.ok()) << compiled.status().message();
        auto actual = run(*compiled, network, inputs);
        ASSERT_TRUE(actual.ok()) << actual.status().message();
        if (first.empty()) first = (*actual)[0];
        EXPECT_EQ(std::memcmp(first.data(), (*actual)[0].data(), 4 * first.size()), 0)
            << layer << " in " << type << " at level " << static_cast<int>(level);
      }
      EXPECT_GT(cosine_of(network, table, DType::i8, inputs), 0.999) << layer << " in " << type;
    }
}

TEST(Bm1684xMixed, TypesHaveNames) {
  const Network network = net_of_six_layers();
  NetCalibrationParameter table = largest_values(network, random_inputs(network, 1));
  set_type_of(table, "b", "fp17");
  auto compiled = bm1684x::compile(network, {.type = DType::i8, .table = &table});
  ASSERT_FALSE(compiled.ok());
  const std::string message = compiled.status().message();
  EXPECT_NE(message.find("layer b"), std::string::npos) << message;
  EXPECT_NE(message.find("fp17"), std::string::npos) << message;
}

TEST(Bm1684xMixed, MeansCorrectBiases) {
  const Network network = net_of_six_layers();
  const auto inputs = random_inputs(network, 4);
  NetCalibrationParameter table = largest_values(network, inputs);
  auto executor = FloatExecutor::create(network);
  std::map<std::string, Blob> all;
  ASSERT_TRUE(
      (*executor)->run(inputs, [&](const std::string& t, const Blob& b) { all[t] = b; }).ok());
  const double without = cosine_of(network, table, DType::i8, inputs);
  for (auto& entry : *table.mutable_layer())
    for (auto& blob : *entry.mutable_blob_param()) {
      if (blob.name() != "ra" && blob.name() != "pool") continue;
      const std::vector<float>& values = all.at(blob.name()).data;
      const size_t inside = values.size() / 70;
      for (size_t c = 0; c < 70; ++c) {
        double sum = 0;
        for (size_t i = 0; i < inside; ++i) sum += values[c * inside + i];
        blob.add_means(static_cast<float>(sum / static_cast<double>(inside)));
      }
    }
  EXPECT_GT(cosine_of(network, table, DType::i8, inputs), without);
}

TEST(Bm1684xMixed, SearchReachesTheCosine) {
  Network network = net_of_six_layers();
  // One channel is much larger than the others: bytes cannot hold both.
  for (float& w : network.blobs.at("a")[0].data) w *= 0.01f;
  for (size_t i = 0; i < 54; ++i) network.blobs.at("a")[0].data[i] *= 3000;
  const auto inputs = random_inputs(network, 5);
  NetCalibrationParameter table = largest_values(network, inputs);
  const MixedTask task{
      .network = network, .type = DType::i8, .wanted = 0.99999, .samples = {inputs}};
  auto found = bm1684x::find_mixed_types(task, table);
  ASSERT_TRUE(found.ok()) << found.status().message();
  ASSERT_GE(found->trials.size(), 2u);
  EXPECT_LT(found->trials[0].cosine, task.wanted);
  EXPECT_TRUE(found->is_reached()) << bm1684x::mixed_search_text(*found);
  EXPECT_GT(found->layers.size(), 0u);
  EXPECT_LT(found->layers.size(), 6u) << bm1684x::mixed_search_text(*found);
  // The table has what the trials had.
  EXPECT_NEAR(cosine_of(network, table, DType::i8, inputs), found->cosine, 1e-9);
}

// Squares of hundreds are infinite in fp16. A cosine that is no number was once taken for 1.
TEST(Bm1684xMixed, SearchSeesInfinity) {
  auto net = random_net(R"(
    input: "data" input_shape { dim: 1 dim: 6 dim: 5 dim: 4 }
    layer { name: "square" type: "Power" bottom: "data" top: "square" power_param { power: 2 } }
    layer { name: "root" type: "Power" bottom: "square" top: "root"
            power_param { shift: 1 power: 0.5 } })",
                        {}, 3);
  ASSERT_TRUE(net.ok()) << net.status().message();
  auto inputs = random_inputs(*net, 7);
  for (float& x : inputs.at("data").data) x *= 1000;
  for (const DType type : {DType::f16, DType::i8}) {
    SCOPED_TRACE(bm1684x::name_of(type));
    NetCalibrationParameter table = largest_values(*net, inputs);
    const MixedTask task{.network = *net, .type = type, .wanted = 0.9999, .samples = {inputs}};
    auto found = bm1684x::find_mixed_types(task, table);
    ASSERT_TRUE(found.ok()) << found.status().message();
    EXPECT_LT(found->trials[0].cosine, task.wanted);
    EXPECT_TRUE(found->is_reached()) << bm1684x::mixed_search_text(*found);
    EXPECT_EQ(found->half_milliseconds, 0) << "fp16 is no choice";
    for (const auto& layer : found->layers) EXPECT_EQ(layer.type, DType::f32) << layer.name;
    EXPECT_GE(cosine_of(*net, table, type, inputs), task.wanted);
  }
}

// A weight of 1e6 is infinite in fp16: its layer is fp32 before the search begins.
TEST(Bm1684xMixed, SearchWidensLayersOfLargeWeights) {
  Network network = net_of_six_layers();
  for (float& w : network.blobs.at("a")[0].data) w *= 1e-3f;
  network.blobs.at("a")[0].data[7] = 1e6f;
  auto inputs = random_inputs(network, 9);
  for (float& x : inputs.at("data").data) x *= 1e-3f;
  NetCalibrationParameter table = largest_values(network, inputs);
  EXPECT_FALSE(bm1684x::compile(network, {.type = DType::f16}).ok());
  const MixedTask task{.network = network, .type = DType::f16, .wanted = 0.99, .samples = {inputs}};
  auto found = bm1684x::find_mixed_types(task, table);
  ASSERT_TRUE(found.ok()) << found.status().message();
  EXPECT_EQ(found->beyond_fp16, std::vector<std::string>{"a"});
  EXPECT_GE(cosine_of(network, table, DType::f16, inputs), task.wanted);
}

TEST(Fit, NumbersAgreeWithNumbersAlone) {
  const float nan = std::nanf(""), infinity = INFINITY;
  const auto fit = [](std::vector<float> real, std::vector<float> values) {
    Fit result;
    result.add(real, values);
    return result;
  };
  EXPECT_EQ(fit({1, 2}, {1, nan}).cosine(), 0);
  EXPECT_EQ(fit({1, nan}, {1, 2}).cosine(), 0);
  EXPECT_EQ(fit({1, 2}, {1, infinity}).cosine(), 0);
  EXPECT_EQ(fit({1, infinity}, {1, -infinity}).sqnr(), -INFINITY);
  EXPECT_EQ(fit({1, nan, infinity}, {1, nan, infinity}).cosine(), 1);
}

// The BM1684 has neither fp16 nor unsigned bytes: layers become fp32, and tables of the BM1684X are
// refused.
TEST(Bm1684Mixed, SearchReachesTheCosine) {
  const bm1684x::ScopedTarget scope(bm1684::bm1684_target());
  Network network = net_of_six_layers();
  const auto inputs = random_inputs(network, 5);
  NetCalibrationParameter table = largest_values(network, inputs);
  const MixedTask task{
      .network = network, .type = DType::i8, .wanted = 0.999999, .samples = {inputs}};
  auto found = bm1684x::find_mixed_types(task, table);
  ASSERT_TRUE(found.ok()) << found.status().message();
  EXPECT_LT(found->trials[0].cosine, task.wanted);
  EXPECT_TRUE(found->is_reached()) << bm1684x::mixed_search_text(*found);
  EXPECT_GT(found->layers.size(), 0u);
  for (const auto& layer : found->layers) EXPECT_EQ(layer.type, DType::f32) << layer.name;
  EXPECT_NEAR(cosine_of(network, table, DType::i8, inputs), found->cosine, 1e-9);
  table.set_floats("fp16");
  auto refused = bm1684x::compile(network, {.type = DType::i8, .table = &table});
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.status().message().find("leave floats out for fp32"), std::string::npos)
      << refused.status().message();
}

// ---- Layer normalizations of several layers ----

// Appends a layer, and returns its result.
std::string append(Network& network, TensorOp op, const std::string& name,
                   const std::vector<std::string>& bottoms, std::vector<int64_t> result) {
  op.set_name(name);
  for (const std::string& bottom : bottoms) {
    op.add_bottom(bottom);
    *op.add_input_shape() = *network.shape_of(bottom);
  }
  op.add_top(name);
  *op.add_output_shape() = make_shape(std::move(result));
  network.ops.push_back(std::move(op));
  return name;
}

TensorOp op_of(Op kind) {
  TensorOp op;
  set_type(op, kind);
  return op;
}

// (x - mean) / sqrt(mean of squares + eps) * factor + offset
Network written_out_norm(const std::vector<int64_t>& shape) {
  Network net;
  net.name = "norm";
  std::vector<int64_t> few = shape;
  few.back() = 1;
  const std::string x = append(net, op_of(Op::start), "x", {}, shape);
  TensorOp mean = op_of(Op::reduction);
  mean.mutable_tg_reduction_param()->set_operation(::bmnet::TGReductionParameter::MEAN);
  mean.mutable_tg_reduction_param()->set_axis(static_cast<int>(shape.size()) - 1);
  const std::vector<int64_t> rows(shape.begin(), shape.end() - 1);
  const auto kept = [&](const std::string& name, const std::string& from) {
    return append(net, op_of(Op::reshape), name,
                  {append(net, mean, name + " reduced", {from}, rows)}, few);
  };
  TensorOp arithmetic = op_of(Op::arithmetic);
  auto& p = *arithmetic.mutable_tg_arithmetic_param();
  p.set_operation(::bmnet::TGArithmeticParameter::SUB);
  const std::string centered = append(net, arithmetic, "centered", {x, kept("mean", x)}, shape);
  TensorOp square = op_of(Op::power);
  square.mutable_tg_power_param()->set_power(2);
  const std::string squares = append(net, square, "squares", {centered}, shape);
  TensorOp sum = op_of(Op::power);
  sum.mutable_tg_power_param()->set_shift(1e-5f);
  const std::string sums = append(net, sum, "sums", {kept("variance", squares)}, few);
  TensorOp root = op_of(Op::function);
  root.mutable_tg_function_param()->set_name("sqrt");
  const std::string roots = append(net, root, "roots", {sums}, few);
  p.set_operation(::bmnet::TGArithmeticParameter::DIV);
  std::string y = append(net, arithmetic, "divided", {centered, roots}, shape);
  for (const auto& [name, kind] : {std::pair("factor", ::bmnet::TGArithmeticParameter::MUL),
                                   {"offset", ::bmnet::TGArithmeticParameter::ADD}}) {
    p.set_operation(kind);
    std::vector<int64_t> constants(shape.size(), 1);
    constants.back() = shape.back();
    *p.mutable_b_shape() = make_shape(constants);
    net.blobs[name] = {random_blob(constants, static_cast<uint64_t>(name[0]))};
    y = append(net, arithmetic, name, {y}, shape);
  }
  TensorOp end = op_of(Op::end);
  end.set_name("end");
  end.add_bottom(y);
  *end.add_input_shape() = make_shape(shape);
  net.ops.push_back(std::move(end));
  return net;
}

// x / sqrt(mean of squares + eps) * factor, as decoders write it.
enum class Rms { divided, times_inverse, times_reciprocal_root };
Network written_out_rms(const std::vector<int64_t>& shape, Rms form,
                        std::vector<int64_t> few = {}) {
  Network net;
  net.name = "norm";
  std::vector<int64_t> constants(shape.size(), 1);
  if (few.empty()) {
    few = shape;
    few.back() = 1;
  }
  constants.back() = shape.back();
  const std::vector<int64_t> rows(shape.begin(), shape.end() - 1);
  const auto power = [&](const std::string& name, const std::string& from, float shift,
                         float exponent, const std::vector<int64_t>& extents) {
    TensorOp op = op_of(Op::power);
    op.mutable_tg_power_param()->set_shift(shift);
    op.mutable_tg_power_param()->set_power(exponent);
    return append(net, op, name, {from}, extents);
  };
  TensorOp mean = op_of(Op::reduction);
  mean.mutable_tg_reduction_param()->set_operation(::bmnet::TGReductionParameter::MEAN);
  mean.mutable_tg_reduction_param()->set_axis(static_cast<int>(shape.size()) - 1);
  const std::string x = append(net, op_of(Op::start), "x", {}, shape);
  const std::string reduced = append(net, mean, "mean", {power("squares", x, 0, 2, shape)}, rows);
  std::string root = append(net, op_of(Op::reshape), "means", {reduced}, few);
  if (form == Rms::times_reciprocal_root) {
    root = power("inverse", root, 1e-5f, -0.5f, few);
  } else {
    TensorOp sqrt = op_of(Op::function);
    sqrt.mutable_tg_function_param()->set_name("sqrt");
    root = append(net, sqrt, "root", {power("sum", root, 1e-5f, 1, few)}, few);
    if (form == Rms::times_inverse) root = power("inverse", root, 0, -1, few);
  }
  TensorOp arithmetic = op_of(Op::arithmetic);
  auto& p = *arithmetic.mutable_tg_arithmetic_param();
  p.set_operation(form == Rms::divided ? ::bmnet::TGArithmeticParameter::DIV
                                       : ::bmnet::TGArithmeticParameter::MUL);
  std::string y = append(net, arithmetic, "scaled", {x, root}, shape);
  p.set_operation(::bmnet::TGArithmeticParameter::MUL);
  *p.mutable_b_shape() = make_shape(constants);
  net.blobs["factor"] = {random_blob(constants, 5)};
  y = append(net, arithmetic, "factor", {y}, shape);
  TensorOp end = op_of(Op::end);
  end.set_name("end");
  end.add_bottom(y);
  *end.add_input_shape() = make_shape(shape);
  net.ops.push_back(std::move(end));
  return net;
}

TEST(Bm1684xNorm, RootsOfMeansOfSquaresAreJoined) {
  for (const Rms form : {Rms::divided, Rms::times_inverse, Rms::times_reciprocal_root})
    for (const std::vector<int64_t>& shape :
         {std::vector<int64_t>{1, 40, 120}, {2, 3, 50}, {30, 70}}) {
      SCOPED_TRACE(text(shape) + std::to_string(static_cast<int>(form)));
      const Network network = written_out_rms(shape, form);
      expect_equal(network, random_inputs(network, 1));
      auto compiled = bm1684x::compile(network, {.type = DType::f16});
      ASSERT_TRUE(compiled.ok()) << compiled.status().message();
      EXPECT_NE(compiled->explanation.find("tg_standardize"), std::string::npos);
      EXPECT_EQ(compiled->explanation.find("tg_reduction"), std::string::npos);
    }
}

// A mean for each row that divides columns, or blocks of rows, is no norm.
TEST(Bm1684xNorm, MeansOfOtherRowsAreNotJoined) {
  for (const Rms form : {Rms::divided, Rms::times_inverse, Rms::times_reciprocal_root})
    for (const auto& [shape, few] :
         {std::pair(std::vector<int64_t>{30, 30}, std::vector<int64_t>{1, 30}),
          {{4, 8, 8}, {4, 1, 8}}}) {
      SCOPED_TRACE(text(shape) + std::to_string(static_cast<int>(form)));
      const Network network = written_out_rms(shape, form, few);
      expect_equal(network, random_inputs(network, 1));
      auto compiled = bm1684x::compile(network, {.type = DType::f16});
      ASSERT_TRUE(compiled.ok()) << compiled.status().message();
      EXPECT_EQ(compiled->explanation.find("tg_standardize"), std::string::npos);
    }
}

TEST(Bm1684xNorm, WrittenOutIsJoined) {
  for (const std::vector<int64_t>& shape :
       {std::vector<int64_t>{1, 40, 120}, {2, 3, 50}, {30, 70}, {1, 4, 5, 33}}) {
    SCOPED_TRACE(text(shape));
    const Network network = written_out_norm(shape);
    expect_equal(network, random_inputs(network, 1));
    auto compiled = bm1684x::compile(network, {.type = DType::f16});
    ASSERT_TRUE(compiled.ok()) << compiled.status().message();
    EXPECT_NE(compiled->explanation.find("tg_standardize"), std::string::npos);
    EXPECT_EQ(compiled->explanation.find("tg_reduction"), std::string::npos);
  }
}

}  // namespace
}  // namespace tputwin::net::testing
