// Layers that are left to the host, and tensors between operators of the host: floats.
//
// 100 random nets by default; TPUTWIN_CASES=2000 runs as many. A failure prints the line that
// reruns it.
#include <fmt/format.h>

#include "bmnet/calibrate/leave_to_host.h"
#include "bmnet/integers/float_tensors.h"
#include "bmnet/pipeline/compile.h"
#include "bmnet/pipeline/prepare.h"
#include "bmnet/quantize/quantize.h"
#include "bmnet_onnx/random_net.h"
#include "common/rng.h"
#include "common/temporary_directory.h"

#include <fstream>

namespace tputwin::test {
namespace {

using Shape = std::vector<int64_t>;

int bytes_of(const net::Network& network, const std::string& tensor) {
  const net::TensorShape* shape = network.shape_of(tensor);
  EXPECT_NE(shape, nullptr) << tensor;
  return shape == nullptr ? 0 : shape->data_type_size();
}

// Returns the net of `float_net` with the layers in `left` on the host.
Result<Int8> with_layers_on_host(const net::Network& float_net, const Int8& int8,
                                 const std::set<std::string>& left) {
  Int8 result{float_net, {}, {}};
  for (net::TensorOp& op : result.network.ops)
    if (left.contains(op.name())) op.set_cpu_op(true);
  TW_ASSIGN_OR_RETURN(table, net::quantize(result.network, int8.table));
  result.table = std::move(table);
  net::use_floats(result.network, result.table, net::FloatOutputs::allowed);
  TW_ASSIGN_OR_RETURN(integers, net::resolve(result.network, result.table));
  result.integers = std::move(integers);
  return result;
}

double worst_cosine(const Blobs& expected, const Blobs& actual) {
  double worst = 1;
  for (const auto& [name, blob] : expected)
    worst = std::min(worst, cosine(blob.data, actual.at(name).data));
  return worst;
}

// The compiled net equals the interpreter (run_int8 compares them), whichever layers the host has.
// With all of them there, only the inputs are rounded.
TEST(LeftToHost, RandomLayersOfRandomNets) {
  const testing::RandomCases cases(100);
  for (uint64_t index = cases.first; index < cases.end(); ++index) {
    SCOPED_TRACE(cases.rerun(index));
    testing::Rng rng = cases.rng(index);
    const RandomNet net = random_net(rng);
    auto network = import(net.model);
    ASSERT_TRUE(network.ok()) << network.status().message();
    Blobs inputs;
    for (const auto& [name, blob] : net.samples[0]) {
      inputs[name] = blob;
      // Multiples of a step, of which the largest is the threshold of the input.
      for (float& v : inputs[name].data) v = std::round(std::clamp(v, -1.0f, 1.0f) * 100) / 128;
      inputs[name].data[0] = 1;
    }
    auto int8 = quantized(*network, inputs);
    ASSERT_TRUE(int8.ok()) << int8.status().message();
    auto expected = run_float(*network, inputs);
    ASSERT_TRUE(expected.ok()) << expected.status().message();
    const bool all = rng.chance(1, 3);
    std::set<std::string> left;
    for (const net::TensorOp& op : network->ops)
      if (net::can_leave_to_host(op) && (all || rng.coin())) left.insert(op.name());
    auto mixed = with_layers_on_host(*network, *int8, left);
    ASSERT_TRUE(mixed.ok()) << mixed.status().message();
    auto result = run_int8(*mixed, inputs);
    ASSERT_TRUE(result.ok()) << result.status().message() << net.about;
    const double least = all ? 0.998 : -1;
    EXPECT_GT(worst_cosine(*expected, *result), least) << net.about;
  }
}

// x -> Conv -> Softmax -> Transpose -> MatMul with itself: only the convolution is of the TPU.
TEST(FloatTensors, OperatorsOfTheHostPassFloats) {
  ModelBuilder builder(13);
  builder.input("x", {1, 3, 8, 8});
  builder.weights("w", {4, 3, 1, 1}, random_values(12, 1));
  builder.node("Conv", {"x", "w"}, {"c"});
  ModelBuilder::set(builder.node("Softmax", {"c"}, {"s"}), "axis", int64_t{3});
  ModelBuilder::set(builder.node("Transpose", {"s"}, {"t"}), "perm",
                    std::vector<int64_t>{0, 1, 3, 2});
  builder.node("MatMul", {"s", "t"}, {"y"});
  builder.output("y");
  Batches samples(2);
  for (size_t i = 0; i < 2; ++i) samples[i]["x"] = {{1, 3, 8, 8}, random_values(192, i)};
  auto net = calibrated(builder.model, samples);
  ASSERT_TRUE(net.ok()) << net.status().message();
  EXPECT_EQ(bytes_of(net->net.network, "c"), 1);
  for (const char* tensor : {"s", "t", "y"})
    EXPECT_EQ(bytes_of(net->net.network, tensor), 4) << tensor;
  EXPECT_TRUE(run_int8(net->net, samples[0]).ok());
}

// So is an input that only operators of the host read.
TEST(FloatTensors, InputsOfTheHostAreFloats) {
  ModelBuilder builder(13);
  builder.input("x", {1, 3, 8, 8});
  builder.input("power", {1, 1, 8, 8});
  builder.weights("w", {4, 3, 1, 1}, random_values(12, 1));
  builder.node("Conv", {"x", "w"}, {"c"});
  builder.node("Pow", {"c", "power"}, {"y"});
  builder.output("y");
  Batches samples(2);
  for (size_t i = 0; i < 2; ++i) {
    samples[i]["x"] = {{1, 3, 8, 8}, random_values(192, i)};
    samples[i]["power"] = {{1, 1, 8, 8}, std::vector<float>(64, 2)};
  }
  auto net = calibrated(builder.model, samples);
  ASSERT_TRUE(net.ok()) << net.status().message();
  EXPECT_EQ(bytes_of(net->net.network, "power"), 4);
  EXPECT_EQ(bytes_of(net->net.network, "x"), 1);
  auto result = run_int8(net->net, samples[0]);
  EXPECT_TRUE(result.ok()) << result.status().message();
}

// A tensor that the TPU reads as well is quantized for it.
TEST(FloatTensors, TheTpuReadsBytes) {
  ModelBuilder builder(13);
  builder.input("x", {1, 4, 8, 8});
  builder.weights("w", {4, 4, 1, 1}, random_values(16, 1));
  ModelBuilder::set(builder.node("Softmax", {"x"}, {"s"}), "axis", int64_t{3});
  builder.node("Conv", {"s", "w"}, {"y"});
  builder.output("y");
  builder.output("s");
  Batches samples(2);
  for (size_t i = 0; i < 2; ++i) samples[i]["x"] = {{1, 4, 8, 8}, random_values(256, i)};
  auto net = calibrated(builder.model, samples);
  ASSERT_TRUE(net.ok()) << net.status().message();
  EXPECT_EQ(bytes_of(net->net.network, "s"), 4);
  EXPECT_EQ(bytes_of(net->net.network, "s/int8"), 1);
  EXPECT_EQ(bytes_of(net->net.network, "y"), 1);
  auto result = run_int8(net->net, samples[0]);
  EXPECT_TRUE(result.ok()) << result.status().message();
}

// Returns three convolutions. The channels of the middle one have very different ranges, which one
// scale for all weights cannot represent.
ModelBuilder uneven_net() {
  ModelBuilder builder(13);
  builder.input("x", {1, 4, 8, 8});
  builder.weights("u", {4, 4, 1, 1}, random_values(16, 1));
  std::vector<float> depthwise = random_values(36, 2);
  for (size_t i = 0; i < depthwise.size(); ++i) depthwise[i] *= i / 9 == 0 ? 300.0f : 1.0f;
  builder.weights("v", {4, 1, 3, 3}, depthwise);
  std::vector<float> last = random_values(16, 3);
  for (size_t i = 0; i < last.size(); i += 4) last[i] /= 300;
  builder.weights("w", {4, 4, 1, 1}, last);
  builder.node("Conv", {"x", "u"}, {"a"}).set_name("first");
  builder.node("Sigmoid", {"a"}, {"b"}).set_name("gate");
  auto& middle = builder.node("Conv", {"b", "v"}, {"c"});
  middle.set_name("middle");
  ModelBuilder::set(middle, "group", int64_t{4});
  builder.node("Tanh", {"c"}, {"t"}).set_name("bend");
  builder.node("Mul", {"c", "t"}, {"d"}).set_name("product");
  builder.node("Conv", {"d", "w"}, {"y"}).set_name("last");
  builder.output("y");
  return builder;
}

template <class Message>
void write(const std::string& path, const Message& message) {
  std::ofstream file(path, std::ios::binary);
  message.SerializeToOstream(&file);
}

Result<Int8> prepared(const net::Source& source) {
  TW_ASSIGN_OR_RETURN(ready, net::prepare(source));
  TW_ASSIGN_OR_RETURN(integers, net::resolve(ready.network, ready.table));
  return Int8{std::move(ready.network), std::move(ready.table), std::move(integers)};
}

TEST(LeftToHost, TheSearchReachesTheCosine) {
  const ModelBuilder builder = uneven_net();
  Batches samples(8);
  for (size_t i = 0; i < samples.size(); ++i)
    samples[i]["x"] = {{1, 4, 8, 8}, random_values(256, i, -3, 3)};
  const auto options = [](double reach) {
    return [=](net::CalibrationOptions& o) { o.reach = reach; };
  };
  auto plain = calibrated(builder.model, samples, options(0.0));
  ASSERT_TRUE(plain.ok()) << plain.status().message();
  ASSERT_TRUE(plain->calibration.host.has_value());
  EXPECT_TRUE(plain->calibration.host->left.empty());
  const double before = plain->calibration.host->trials.front().cosine;
  ASSERT_LT(before, 0.999) << "the net needs no host";

  auto net = calibrated(builder.model, samples, options(0.9995));
  ASSERT_TRUE(net.ok()) << net.status().message();
  const net::HostSearch& search = *net->calibration.host;
  EXPECT_FALSE(search.left.empty());
  const auto reached = [](const net::HostTrial& t) { return t.cosine >= 0.9995; };
  EXPECT_TRUE(std::ranges::any_of(search.trials, reached));
  EXPECT_NE(net::report_text(net->calibration).find("layers left to the host"), std::string::npos);

  auto network = import(builder.model);
  double worst = 1;
  for (size_t i = 0; i < 4; ++i) {
    auto expected = run_float(*network, samples[i]);
    auto result = run_int8(net->net, samples[i]);
    ASSERT_TRUE(expected.ok() && result.ok()) << result.status().message();
    worst = std::min(worst, worst_cosine(*expected, *result));
  }
  EXPECT_GT(worst, 0.999);

  // The float net with the table leaves the same layers to the host.
  const tputwin::testing::TemporaryDirectory folder;
  write(folder / "net.onnx", builder.model);
  write(folder / "table.pb2", net->calibration.table);
  auto by_table = prepared({.prototxt = "",
                            .caffemodel = folder / "net.onnx",
                            .table = folder / "table.pb2",
                            .import = {}});
  ASSERT_TRUE(by_table.ok()) << by_table.status().message();
  for (const net::TensorOp& op : net->net.network.ops) {
    const auto same = std::ranges::find(by_table->network.ops, op.name(), &net::TensorOp::name);
    ASSERT_NE(same, by_table->network.ops.end()) << op.name();
    EXPECT_EQ(same->cpu_op(), op.cpu_op()) << op.name();
  }
}

// ---- Layers beyond the chip's commands ----

struct Unfit {
  const char* name;
  Shape input;
  std::function<void(ModelBuilder&)> layer;  // from x to y
};

void PrintTo(const Unfit& unfit, std::ostream* out) { *out << unfit.name; }

class UnfitLayer : public ::testing::TestWithParam<Unfit> {};

TEST_P(UnfitLayer, RunsOnTheHost) {
  ModelBuilder builder(13);
  builder.input("x", GetParam().input);
  GetParam().layer(builder);
  builder.output("y");
  size_t count = 1;
  for (const int64_t extent : GetParam().input) count *= static_cast<size_t>(extent);
  Batches samples(2);
  for (size_t i = 0; i < 2; ++i) samples[i]["x"] = {GetParam().input, random_values(count, i)};
  auto net = calibrated(builder.model, samples);
  ASSERT_TRUE(net.ok()) << net.status().message();
  EXPECT_TRUE(std::ranges::any_of(net->net.network.ops, net::is_left_to_host));
  auto network = import(builder.model);
  auto expected = run_float(*network, samples[0]);
  auto result = run_int8(net->net, samples[0]);
  ASSERT_TRUE(expected.ok() && result.ok()) << result.status().message();
  EXPECT_GT(worst_cosine(*expected, *result), 0.999);

  // So does the net of a calibration that was not written: `tputwin compile --dry-run`.
  auto planned = net::prepare(std::move(net->calibration), {});
  ASSERT_TRUE(planned.ok()) << planned.status().message();
  auto compiled = net::compile(planned->network, planned->table);
  EXPECT_TRUE(compiled.ok()) << compiled.status().message();
}

std::function<void(ModelBuilder&)> convolution(Shape weights, Shape strides, Shape dilations,
                                               int64_t group) {
  return [=](ModelBuilder& builder) {
    size_t count = 1;
    for (const int64_t extent : weights) count *= static_cast<size_t>(extent);
    builder.weights("w", weights, random_values(count, 3));
    auto& node = builder.node("Conv", {"x", "w"}, {"y"});
    ModelBuilder::set(node, "strides", strides);
    ModelBuilder::set(node, "dilations", dilations);
    ModelBuilder::set(node, "group", group);
  };
}

std::function<void(ModelBuilder&)> pool(const char* type, Shape kernel, Shape strides) {
  return [=](ModelBuilder& builder) {
    auto& node = builder.node(type, {"x"}, {"y"});
    ModelBuilder::set(node, "kernel_shape", kernel);
    ModelBuilder::set(node, "strides", strides);
  };
}

INSTANTIATE_TEST_SUITE_P(
    All, UnfitLayer,
    ::testing::Values(
        Unfit{"stride and dilation", {1, 2, 60, 6}, convolution({3, 2, 2, 2}, {17, 1}, {2, 1}, 1)},
        Unfit{"dilation and stride", {1, 2, 50, 4}, convolution({3, 2, 2, 1}, {2, 1}, {18, 1}, 1)},
        Unfit{"channels", {1, 4100, 4, 4}, convolution({2, 4100, 3, 3}, {1, 1}, {1, 1}, 1)},
        Unfit{"depthwise", {1, 4200, 3, 3}, convolution({4200, 1, 3, 3}, {1, 1}, {1, 1}, 4200)},
        Unfit{"wide", {1, 2, 4, 1100}, convolution({3, 2, 3, 3}, {1, 1}, {1, 1}, 1)},
        Unfit{"maximum", {1, 3, 70, 5}, pool("MaxPool", {3, 2}, {16, 1})},
        Unfit{"wide maximum", {1, 2, 4, 1100}, pool("MaxPool", {2, 2}, {2, 2})}));

}  // namespace
}  // namespace tputwin::test
