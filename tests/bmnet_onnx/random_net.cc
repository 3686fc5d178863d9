// Random small nets of floats.
#include "bmnet_onnx/random_net.h"

#include <cmath>
#include <limits>

namespace tputwin::test {
namespace {

using tputwin::testing::Rng;

constexpr int64_t kSide = 8;

class Maker {
 public:
  explicit Maker(Rng& rng) : rng_(rng) {}

  RandomNet make() {
    const int64_t channels = rng_.range(2, 6);
    builder_.input("x", {1, channels, kSide, kSide});
    Map now{"x", channels};
    now = convolution(now);
    for (uint32_t layers = rng_.range(1, 4); layers > 0; --layers) now = layer(now);
    head(now);
    for (const std::string& output : outputs_) builder_.output(output);
    samples(channels);
    net_.model = std::move(builder_.model);
    return std::move(net_);
  }

 private:
  struct Map {
    std::string name;
    int64_t channels = 0;
    float size = 1;  // approximate magnitude of its values
  };

  float uniform(float least, float most) {
    return least + (most - least) * static_cast<float>(rng_.below(1 << 20)) / (1 << 20);
  }
  std::string fresh(const std::string& what) { return what + std::to_string(++names_); }
  void describe(const std::string& what) { net_.about += " " + what; }

  std::string weights(const std::vector<int64_t>& dims, float least, float most) {
    int64_t count = 1;
    for (int64_t d : dims) count *= d;
    std::vector<float> values;
    for (int64_t i = 0; i < count; ++i) values.push_back(uniform(least, most));
    std::string name = fresh("w");
    builder_.weights(name, dims, values);
    return name;
  }

  // ---- Layers ----

  Map activated(const Map& from, bool always = false) {
    switch (rng_.below(always ? 2 : 3)) {
      case 0: {
        Map to{fresh("relu"), from.channels, from.size};
        builder_.node("Relu", {from.name}, {to.name});
        return to;
      }
      case 1: {
        Map to{fresh("clip"), from.channels};
        const std::string least = fresh("least"), most = fresh("most");
        builder_.weights(least, {}, {0});
        builder_.weights(most, {}, {rng_.coin() ? 1.0f : 6.0f});
        builder_.node("Clip", {from.name, least, most}, {to.name});
        return to;
      }
      default:
        return from;
    }
  }

  // Adds a convolution whose results have about the magnitude `size`.
  Map plain_convolution(const Map& from, int64_t channels, int64_t kernel, float size = 1) {
    Map to{fresh("conv"), channels, size};
    const float reach =
        size / from.size * 2.5f / std::sqrt(static_cast<float>(from.channels * kernel * kernel));
    const std::string w = weights({channels, from.channels, kernel, kernel}, -reach, reach);
    const std::string b = weights({channels}, -0.1f * size, 0.5f * size);
    auto& node = builder_.node("Conv", {from.name, w, b}, {to.name});
    ModelBuilder::set(node, "pads", std::vector<int64_t>(4, kernel / 2));
    return to;
  }
  Map convolution(const Map& from) {
    return activated(plain_convolution(from, rng_.range(2, 6), rng_.coin() ? 3 : 1));
  }

  Map residual(const Map& from) {
    describe("residual");
    const Map other = plain_convolution(from, from.channels, rng_.coin() ? 3 : 1, from.size);
    Map sum{fresh("sum"), from.channels, from.size};
    builder_.node("Add", {from.name, other.name}, {sum.name});
    return activated(sum);
  }

  // Concatenates a tensor and `factor` times that tensor; another layer also reads the first.
  Map concatenation(const Map& from) {
    const float factor = rng_.pick({1.0f, 3.0f, 40.0f});
    describe("concat*" + std::to_string(static_cast<int>(factor)));
    const Map small = plain_convolution(from, rng_.range(2, 4), 1);
    const std::string k = fresh("k");
    builder_.weights(k, {}, {factor});
    const std::string large = fresh("large");
    builder_.node("Mul", {small.name, k}, {large});
    Map to{fresh("concat"), 2 * small.channels, factor};
    ModelBuilder::set(builder_.node("Concat", {small.name, large}, {to.name}), "axis", int64_t{1});
    outputs_.push_back(plain_convolution(small, 2, 1).name);
    return to;
  }

  Map maximum(const Map& from) {
    describe("maxpool");
    Map to{fresh("max"), from.channels, from.size};
    auto& node = builder_.node("MaxPool", {from.name}, {to.name});
    ModelBuilder::set(node, "kernel_shape", std::vector<int64_t>{3, 3});
    ModelBuilder::set(node, "pads", std::vector<int64_t>{1, 1, 1, 1});
    return to;
  }

  Map attention(const Map& from) {
    const float masked = rng_.pick({-1e4f, -1e9f, std::numeric_limits<float>::lowest(), -INFINITY});
    describe("attention" + std::to_string(static_cast<int>(std::max(masked, -1e9f))));
    const int64_t heads = rng_.range(1, 3);
    const Map q = plain_convolution(from, heads, 1), k = plain_convolution(from, heads, 1),
              v = plain_convolution(from, heads, 1);
    const std::string scores = fresh("scores"), sum = fresh("masked"), mask = fresh("mask"),
                      soft = fresh("softmax");
    std::vector<float> values;
    for (int64_t i = 0; i < kSide * kSide; ++i)
      values.push_back(i % kSide > i / kSide ? masked : 0.0f);
    builder_.weights(mask, {1, 1, kSide, kSide}, values);
    builder_.node("MatMul", {q.name, k.name}, {scores});
    builder_.node("Add", {scores, mask}, {sum});
    net_.unquantized.insert(sum);
    ModelBuilder::set(builder_.node("Softmax", {sum}, {soft}), "axis", int64_t{-1});
    Map to{fresh("attended"), heads};
    builder_.node("MatMul", {soft, v.name}, {to.name});
    return to;
  }

  Map layer(const Map& from) {
    switch (rng_.below(6)) {
      case 0:
        return residual(from);
      case 1:
        return concatenation(from);
      case 2:
        return maximum(from);
      case 3:
        return attention(from);
      default:
        return convolution(from);
    }
  }

  // ---- Ends ----

  // Adds a mean of a tensor without a scale.
  void mean(const Map& from) {
    describe("mean");
    Map now = plain_convolution(from, rng_.range(2, 6), 1);
    net_.unquantized.insert(now.name);
    if (rng_.coin()) {
      const std::string relu = fresh("relu");
      builder_.node("Relu", {now.name}, {relu});
      net_.unquantized.insert(relu);
      now.name = relu;
    }
    Map to{fresh("mean"), now.channels};
    builder_.node("GlobalAveragePool", {now.name}, {to.name});
    outputs_.push_back(rng_.coin() ? to.name : plain_convolution(to, 3, 1).name);
  }

  void boxes_and_scores(const Map& from) {
    describe("detector");
    const Map boxes = plain_convolution(from, 4, 1), scores = plain_convolution(from, 2, 1);
    const std::string k = fresh("k"), large = fresh("boxes"), small = fresh("scores"),
                      all = fresh("detector");
    builder_.weights(k, {}, {300});
    builder_.node("Mul", {boxes.name, k}, {large});
    builder_.node("Sigmoid", {scores.name}, {small});
    ModelBuilder::set(builder_.node("Concat", {large, small}, {all}), "axis", int64_t{1});
    // A quantizer would use one scale for both.
    net_.unquantized.insert(all);
    outputs_.push_back(all);
  }

  void head(const Map& from) {
    switch (rng_.below(4)) {
      case 0:
        return mean(from);
      case 1:
        return boxes_and_scores(from);
      case 2:
        mean(from);
        [[fallthrough]];
      default:
        outputs_.push_back(activated(plain_convolution(from, 3, 1)).name);
    }
  }

  void samples(int64_t channels) {
    const bool is_picture = rng_.coin();
    for (int i = 0; i < 4; ++i) {
      std::vector<float> values;
      for (int64_t v = 0; v < channels * kSide * kSide; ++v)
        values.push_back(is_picture ? uniform(0, 1) : uniform(-1, 1) + uniform(-1, 1));
      net_.samples.push_back({{"x", {{1, channels, kSide, kSide}, std::move(values)}}});
    }
  }

  Rng& rng_;
  ModelBuilder builder_{13};
  RandomNet net_;
  std::vector<std::string> outputs_;
  int names_ = 0;
};

}  // namespace

RandomNet random_net(Rng& rng) { return Maker(rng).make(); }

QuantizerStyle random_style(Rng& rng) {
  using Types = QuantizerStyle::Types;
  return {.types = rng.pick({Types::uint8, Types::uint8, Types::int8, Types::symmetric}),
          .operators = rng.coin(),
          .removes_activations = rng.chance(3, 4)};
}

}  // namespace tputwin::test
