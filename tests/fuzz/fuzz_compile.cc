// The compilers for the BM1684X and BM1684. `fuzz_compile` draws a net from the bytes, as the
// random tests do, and compares its results with float execution, with the bounds of those tests.
// `fuzz_compile_onnx` takes any ONNX model: it may be refused, or run with the same bits at all
// levels.
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <exception>
#include <random>

#include "bmnet/onnx/load.h"
#include "bmnet/targets/bm1684x/target.h"
#include "bmnet_onnx/random_net.h"
#include "fuzz/compiled_net.h"
#include "fuzz/onnx_seeds.h"
#include "onnx_bm1684x/agreement.h"
#include "selftest/rng.h"

namespace tputwin::fuzz {
namespace {

using tputwin::testing::Rng;

// Returns what `check` returns. An exception is an error: the library throws none.
template <class Check>
std::string without_exceptions(const Check& check) {
  try {
    return check();
  } catch (const std::exception& e) {
    return std::string("an exception: ") + e.what();
  }
}

// ---- Drawn nets ----

struct Drawn {
  Configuration configuration;
  bool is_wide;
  test::RandomOperator model;
};

Drawn draw(std::span<const uint8_t> input) {
  Rng rng(input);
  const Configuration chosen = configuration(static_cast<unsigned>(rng.below(kConfigurations)));
  const uint64_t kind = rng.below(8);
  if (kind < 4) return {chosen, true, test::rounded(test::random_wide_operator(rng))};
  if (kind < 6) return {chosen, false, test::rounded(test::random_operator(rng))};
  test::RandomNet net = test::random_net(rng);
  return {chosen, false,
          test::rounded({std::move(net.model), net.samples.front(), "net" + net.about})};
}

// The bound of bf16 is that of the smallest difference in fp16.
double tolerance(DType type) {
  return type == DType::f32    ? test::kTolerance32
         : type == DType::f16  ? test::kTolerance16
         : type == DType::bf16 ? test::kMostRatio * test::kTolerance16 / 8
                               : test::kToleranceBytes;
}

std::string wrong_values(const Drawn& drawn, const net::Network& network) {
  const DType type = drawn.configuration.type;
  const test::Agreement found = test::agreement(drawn.model, type, drawn.is_wide);
  if (!found.read.ok()) return "";
  if (!found.compiled.ok()) return wrong_refusal(found.compiled);
  // Bytes may be rounded across a jump, and a net amplifies what its layers round.
  const bool is_net = drawn.model.about.rfind("net", 0) == 0;
  const bool is_bounded = type == DType::f32 || (!test::has_jumps(drawn.model.about) && !is_net);
  std::string wrong = found.wrong(is_bounded ? tolerance(type) : INFINITY);
  return wrong.empty() ? wrong_levels(network, drawn.model.inputs, type) : wrong;
}

// ---- Any models ----

net::ReadOnnx* reader() {
  static net::ReadOnnx* const found = [] {
    auto read = net::find_onnx_reader("libtputwin_onnx.so");
    return read.ok() ? *read : nullptr;
  }();
  return found;
}

// Whole numbers for integers, which count or are positions.
net::testing::Values inputs_of(const onnx::ModelProto& model, const net::Network& network) {
  std::mt19937_64 random(1);
  net::testing::Values inputs;
  for (const std::string& name : network.inputs()) {
    const auto dims = net::dims(*network.shape_of(name));
    net::Blob blob = net::testing::random_blob(dims, random(), -3, 3);
    for (const auto& input : model.graph().input())
      if (input.name() == name &&
          input.type().tensor_type().elem_type() != onnx::TensorProto::FLOAT)
        for (float& x : blob.data) x = static_cast<float>(random() % 3);
    inputs[name] = std::move(blob);
  }
  return inputs;
}

// A few changed bits choose another chip or type.
unsigned sum_of(std::span<const uint8_t> bytes) {
  unsigned sum = 0;
  for (const uint8_t byte : bytes) sum = sum * 31 + byte;
  return sum;
}

// Returns the net of a model that is small enough to be run.
Result<net::Network> network_of(std::span<const uint8_t> input) {
  const net::ImportOptions options{.has_subnets = true};
  TW_ASSIGN_OR_RETURN(loaded, reader()(input, "model.onnx", options));
  return net::import_caffe(loaded.net, options);
}

// True if no number may be an extent of tensors that take gigabytes: OneHot of depth 2^20, for
// example. Larger numbers than 2^31 are no extents.
bool has_small_extents(const onnx::ModelProto& model) {
  const auto is_large = [](int64_t value) { return value > 4096 && value <= INT64_C(1) << 31; };
  const auto any_large = [&](const auto& values) { return std::ranges::any_of(values, is_large); };
  for (const auto& input : model.graph().input())
    for (const auto& dim : input.type().tensor_type().shape().dim())
      if (is_large(dim.dim_value())) return false;
  for (const auto& tensor : model.graph().initializer())
    if (any_large(tensor.dims()) || any_large(tensor.int64_data())) return false;
  for (const auto& node : model.graph().node())
    for (const auto& attribute : node.attribute())
      if (is_large(attribute.i()) || any_large(attribute.ints()) ||
          any_large(attribute.t().dims()) || any_large(attribute.t().int64_data()))
        return false;
  return true;
}

std::string wrong_model(std::span<const uint8_t> input) {
  onnx::ModelProto model;
  if (model.ParseFromArray(input.data(), static_cast<int>(input.size())) &&
      !has_small_extents(model))
    return "";
  const auto network = network_of(input);
  if (!network.ok()) return wrong_refusal(network.status());
  if (!is_small(*network)) return "";
  const Configuration chosen = configuration(sum_of(input));
  const net::bm1684x::ScopedTarget scope(*chosen.target);
  const net::testing::Values inputs = inputs_of(model, *network);
  // Operators of the host refuse what float execution refuses: a position that does not exist.
  if (!test::floats_of(*network, inputs).ok()) return "";
  return wrong_levels(*network, inputs, chosen.type);
}

}  // namespace

std::string fuzz_compile(std::span<const uint8_t> input) {
  return without_exceptions([&]() -> std::string {
    const Drawn drawn = draw(input);
    const net::bm1684x::ScopedTarget scope(*drawn.configuration.target);
    const auto network = test::network_of(drawn.model, drawn.is_wide);
    if (!network.ok()) return wrong_refusal(network.status());
    if (!is_small(*network)) return "";
    const std::string wrong = wrong_values(drawn, *network);
    return wrong.empty() ? "" : drawn.model.about + ": " + wrong;
  });
}

bool is_compiled(std::span<const uint8_t> input) {
  const Drawn drawn = draw(input);
  const net::bm1684x::ScopedTarget scope(*drawn.configuration.target);
  const auto network = test::network_of(drawn.model, drawn.is_wide);
  return network.ok() && is_small(*network);
}

std::vector<Bytes> compile_seeds() {
  constexpr size_t kSeeds = 24, kBytes = 96;
  std::vector<Bytes> seeds;
  for (unsigned number = 0; seeds.size() < kSeeds; ++number) {
    std::mt19937 random(number);
    Bytes bytes(kBytes);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
    if (is_compiled(bytes)) seeds.push_back(std::move(bytes));
  }
  return seeds;
}

std::string fuzz_compile_onnx(std::span<const uint8_t> input) {
  if (reader() == nullptr) return "no reader";
  return without_exceptions([&] { return wrong_model(input); });
}

bool is_compiled_onnx(std::span<const uint8_t> input) {
  return reader() != nullptr && network_of(input).ok();
}

// Models written by hand, and drawn ones.
std::vector<Bytes> compile_onnx_seeds() {
  std::vector<Bytes> seeds = onnx_seeds();
  constexpr size_t kSeeds = 40;
  for (uint64_t index = 0; seeds.size() < kSeeds; ++index) {
    Rng rng(1, index);
    const test::RandomOperator one =
        index % 2 == 0 ? test::random_operator(rng) : test::random_wide_operator(rng);
    const std::string bytes = one.model.SerializeAsString();
    Bytes seed(bytes.begin(), bytes.end());
    if (is_compiled_onnx(seed)) seeds.push_back(std::move(seed));
  }
  return seeds;
}

}  // namespace tputwin::fuzz
