// Random nets whose layers all have random types of their own agree with float execution.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "bmnet/calibrate/compare_tensors.h"
#include "bmnet/targets/bm1684/target.h"
#include "bmnet_bm1684x/support.h"
#include "common/rng.h"

namespace tputwin::net::testing {
namespace {

using tputwin::testing::RandomCases;
using tputwin::testing::Rng;

// Draws layers in the language of Caffe, each of tensors before it.
class RandomMixed {
 public:
  explicit RandomMixed(Rng& rng) : rng_(rng) {}

  Result<Network> draw() {
    const auto side = static_cast<int64_t>(5 + rng_.below(9));
    text_ = fmt::format("input: \"x\" input_shape {{ dim: {} dim: 6 dim: {} dim: {} }}\n",
                        1 + rng_.below(2), side, side);
    maps_.push_back({"x", 6});
    const size_t layers = 3 + rng_.below(6);
    for (size_t i = 0; i < layers; ++i) add_layer();
    end();
    return random_net(text_, blobs_, rng_.below(1000));
  }

 private:
  struct Map {
    std::string name;
    int64_t channels;
  };

  std::string next() { return fmt::format("l{}", count_++); }
  const Map& any() {
    return maps_[maps_.size() - 1 - rng_.below(std::min<size_t>(maps_.size(), 3))];
  }
  void layer(const std::string& name, const std::string& type, const std::string& bottoms,
             const std::string& parameters) {
    text_ += fmt::format("layer {{ name: \"{0}\" type: \"{1}\" {2} top: \"{0}\" {3} }}\n", name,
                         type, bottoms, parameters);
  }
  static std::string bottom(const std::string& name) {
    return fmt::format(" bottom: \"{}\"", name);
  }

  void convolution(const Map& x) {
    const std::string name = next();
    const bool is_depthwise = rng_.chance(1, 3);
    // A long kernel is beyond the fields of commands.
    const bool is_long = !is_depthwise && rng_.chance(1, 4);
    const int64_t outputs = is_depthwise ? x.channels : static_cast<int64_t>(1 + rng_.below(80));
    const int dilation = is_long ? 16 : 1, pad = is_long ? 16 : 1;
    layer(name, "Convolution", bottom(x.name),
          fmt::format("convolution_param {{ num_output: {} kernel_size: 3 pad: {} dilation: {} "
                      "group: {} }}",
                      outputs, pad, dilation, is_depthwise ? x.channels : 1));
    blobs_[name] = {{outputs, is_depthwise ? 1 : x.channels, 3, 3}, {outputs}};
    maps_.push_back({name, outputs});
  }

  void function(const Map& x) {
    constexpr const char* kTypes[] = {"ReLU", "Sigmoid", "TanH", "ReLU", "ELU"};
    const std::string name = next();
    layer(name, kTypes[rng_.below(std::size(kTypes))], bottom(x.name), "");
    maps_.push_back({name, x.channels});
  }

  void two(const Map& x) {
    for (const Map& other : maps_)
      if (other.channels == x.channels && other.name != x.name) {
        const std::string name = next();
        constexpr const char* kOperations[] = {"SUM", "MAX", "PROD"};
        layer(name, "Eltwise", bottom(x.name) + bottom(other.name),
              fmt::format("eltwise_param {{ operation: {} }}", kOperations[rng_.below(3)]));
        maps_.push_back({name, x.channels});
        return;
      }
    const std::string name = next();
    const Map& other = any();
    layer(name, "Concat", bottom(x.name) + bottom(other.name), "");
    maps_.push_back({name, x.channels + other.channels});
  }

  void pool(const Map& x) {
    const std::string name = next();
    layer(name, "Pooling", bottom(x.name),
          fmt::format("pooling_param {{ pool: {} kernel_size: 3 stride: 1 pad: 1 }}",
                      rng_.chance(1, 2) ? "MAX" : "AVE"));
    maps_.push_back({name, x.channels});
  }

  void add_layer() {
    const Map x = any();
    switch (rng_.below(6)) {
      case 0:
        return function(x);
      case 1:
        return two(x);
      case 2:
        return pool(x);
      default:
        return convolution(x);
    }
  }

  void end() {
    const Map x = maps_.back();
    layer("mean", "Pooling", bottom(x.name), "pooling_param { pool: AVE global_pooling: true }");
    layer("y", "InnerProduct", bottom("mean"), "inner_product_param { num_output: 33 }");
    blobs_["y"] = {{33, x.channels}, {33}};
    if (rng_.chance(1, 3)) layer("scores", "Softmax", bottom("y"), "");
  }

  Rng& rng_;
  std::string text_;
  BlobShapes blobs_;
  std::vector<Map> maps_;
  int count_ = 0;
};

struct Kind {
  const bm1684x::Target& target;
  DType type;
  std::vector<const char*> types;
};

TEST(RandomMixed, LayersOfAllTypesAgreeWithFloats) {
  const Kind kinds[] = {{bm1684x::bm1684x_target(), DType::i8, {"int8", "fp16", "bf16", "fp32"}},
                        {bm1684x::bm1684x_target(), DType::f16, {"fp16", "bf16", "fp32"}},
                        {bm1684x::bm1684x_target(), DType::f32, {"fp16", "bf16", "fp32"}},
                        {bm1684::bm1684_target(), DType::i8, {"int8", "fp32"}}};
  const RandomCases cases(12);
  for (uint64_t index = cases.first; index < cases.end(); ++index) {
    SCOPED_TRACE(cases.rerun(index));
    Rng rng = cases.rng(index);
    auto network = RandomMixed(rng).draw();
    ASSERT_TRUE(network.ok()) << network.status().message();
    const Values inputs = random_inputs(*network, index);
    auto executor = FloatExecutor::create(*network);
    auto expected = (*executor)->run(inputs);
    ASSERT_TRUE(expected.ok()) << expected.status().message();
    for (const Kind& kind : kinds) {
      const bm1684x::ScopedTarget scope(kind.target);
      NetCalibrationParameter table = largest_values(*network, inputs);
      const bool has_floats = kind.type == DType::i8 && kind.types.size() > 2;
      if (has_floats) table.set_floats(kind.types[1 + rng.below(3)]);
      std::string types;
      for (auto& entry : *table.mutable_layer()) {
        entry.set_type(kind.types[rng.below(kind.types.size())]);
        types += fmt::format(" {}={}", entry.name(), entry.type());
      }
      SCOPED_TRACE(fmt::format("{} {}{}", kind.target.chip.name, to_string(kind.type), types));
      auto compiled = bm1684x::compile(*network, {.type = kind.type, .table = &table});
      ASSERT_TRUE(compiled.ok()) << compiled.status().message();
      auto actual = run(*compiled, *network, inputs);
      ASSERT_TRUE(actual.ok()) << actual.status().message();
      Fit fit;
      fit.add(expected->at(network->outputs()[0]).data, (*actual)[0]);
      EXPECT_GT(fit.cosine(), kind.type == DType::i8 ? 0.97 : 0.999);
    }
  }
}

// The weights of a channel fit a lane in 16 bits and not in fp32.
TEST(RandomMixed, ALargeWindowHasPartsOfItsOwnType) {
  auto network = random_net(R"(
      input: "x" input_shape { dim: 1 dim: 8000 dim: 4 dim: 4 }
      layer { name: "y" type: "Convolution" bottom: "x" top: "y"
              convolution_param { num_output: 2 kernel_size: 3 bias_term: false } })",
                            {{"y", {{2, 8000, 3, 3}}}}, 3);
  ASSERT_TRUE(network.ok()) << network.status().message();
  const Values inputs = random_inputs(*network, 1);
  const auto expected = (*FloatExecutor::create(*network))->run(inputs);
  ASSERT_TRUE(expected.ok()) << expected.status().message();
  for (const char* type : {"fp32", "fp16", "bf16"})
    for (const DType of_net : {DType::f16, DType::f32, DType::i8}) {
      NetCalibrationParameter table = largest_values(*network, inputs);
      for (auto& entry : *table.mutable_layer()) entry.set_type(type);
      auto compiled = bm1684x::compile(*network, {.type = of_net, .table = &table});
      ASSERT_TRUE(compiled.ok()) << compiled.status().message();
      auto actual = run(*compiled, *network, inputs);
      ASSERT_TRUE(actual.ok()) << actual.status().message();
      Fit fit;
      fit.add(expected->at("y").data, (*actual)[0]);
      EXPECT_GT(fit.cosine(), 0.9999) << type << " in " << to_string(of_net);
    }
}

}  // namespace
}  // namespace tputwin::net::testing
