// Nets compiled for the BM1684X and BM1684, and run.
#include "fuzz/compiled_net.h"

#include <fmt/format.h>

#include <cstring>

#include "bmnet/targets/bm1684/target.h"
#include "bmnet/targets/bm1684x/target.h"
#include "bmnet_bm1684x/interpreter.h"

namespace tputwin::fuzz {
namespace {

using namespace net;
using Outputs = std::vector<std::vector<float>>;

constexpr int64_t kMostElements = 1 << 17;  // of all tensors
constexpr int64_t kMostProducts = 1 << 25;  // of weights with elements
constexpr size_t kMostLayers = 200;

std::string difference(const Outputs& a, const Outputs& b) {
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t k = 0; k < a[i].size(); ++k)
      if (a[i].size() != b[i].size() || std::memcmp(&a[i][k], &b[i][k], sizeof(float)) != 0)
        return fmt::format("output {} at {} differs between levels: {} and {}", i, k, a[i][k],
                           b[i].size() > k ? b[i][k] : 0.0f);
  return "";
}

}  // namespace

Configuration configuration(unsigned number) {
  static const Configuration kAll[kConfigurations] = {
      {&bm1684x::bm1684x_target(), DType::f32},  {&bm1684x::bm1684x_target(), DType::f16},
      {&bm1684x::bm1684x_target(), DType::bf16}, {&bm1684x::bm1684x_target(), DType::i8},
      {&bm1684::bm1684_target(), DType::f32},    {&bm1684::bm1684_target(), DType::i8}};
  return kAll[number % kConfigurations];
}

bool is_small(const Network& network) {
  int64_t elements = 0, products = 0;
  for (const TensorOp& op : network.ops) {
    int64_t weights = 0;
    const auto blobs = network.blobs.find(op.name());
    if (blobs != network.blobs.end() && !blobs->second.empty())
      weights = static_cast<int64_t>(blobs->second[0].data.size());
    for (const TensorShape& shape : op.output_shape()) elements += count(shape);
    if (op.output_shape_size() > 0 && op.input_shape_size() > 0)
      products += is(op, Op::matmul)
                      ? count(op.output_shape(0)) * op.input_shape(0).dim().rbegin()[0]
                      : weights * (is(op, Op::convolution) ? count(op.output_shape(0)) : 1);
    if (elements > kMostElements || products > kMostProducts) return false;
  }
  return network.ops.size() <= kMostLayers;
}

std::string wrong_refusal(const Status& status) {
  const std::string message = status.message();
  return message.rfind("TW-NET-", 0) == 0 ? "" : "not a refusal of the compiler: " + message;
}

std::string wrong_levels(const Network& network, const net::testing::Values& inputs, DType type) {
  const NetCalibrationParameter table = net::testing::largest_values(network, inputs);
  Outputs first;
  for (const net::Level level : {net::Level::none, net::Level::weight_optimization}) {
    auto compiled = bm1684x::compile(network, {.type = type, .table = &table, .level = level});
    if (!compiled.ok()) return wrong_refusal(compiled.status());
    auto results = net::testing::run(*compiled, network, inputs);
    if (!results.ok()) return "the compiled net does not run: " + results.status().message();
    if (level == net::Level::none)
      first = std::move(*results);
    else if (std::string wrong = difference(first, *results); !wrong.empty())
      return wrong;
  }
  const bool has_interpreter = bm1684x::target().packing() != nullptr && type == DType::i8;
  return has_interpreter && net::testing::is_of_bytes(network)
             ? net::testing::difference_from_interpreter(network, inputs)
             : "";
}

}  // namespace tputwin::fuzz
