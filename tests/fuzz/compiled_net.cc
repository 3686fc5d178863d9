// Nets compiled for the BM1684X and BM1684, and run.
#include "fuzz/compiled_net.h"

#include <fmt/format.h>

#include <cstring>

#include "bmnet/targets/bm1684/target.h"
#include "bmnet/targets/bm1684x/target.h"
#include "bmnet_bm1684x/interpreter.h"
#include "bmodel/bm168x/model.h"
#include "selftest/rng.h"

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
        return fmt::format("output {} at {} differs: {} and {}", i, k, a[i][k],
                           b[i].size() > k ? b[i][k] : 0.0f);
  return "";
}

// Returns what is wrong with the file of a compiled net.
std::string wrong_file(std::span<const bm1684x::CompiledStream> stages) {
  auto bytes = bm1684x::to_file(stages, "net");
  if (!bytes.ok()) return wrong_refusal(bytes.status());
  auto file = bmodel::bm168x::read(*bytes);
  return file.ok() ? "" : "the file of the net cannot be read: " + file.status().message();
}

}  // namespace

Configuration configuration(uint64_t number) {
  const bm1684x::Target *const x = &bm1684x::bm1684x_target(), *const other =
                                                                   &bm1684::bm1684_target();
  const Configuration all[] = {{x, DType::f32},         {x, DType::f16},       {x, DType::bf16},
                               {x, DType::i8},          {other, DType::f32},   {other, DType::i8},
                               {x, DType::f32, true},   {x, DType::f16, true}, {x, DType::i8, true},
                               {other, DType::i8, true}};
  Configuration chosen = all[number % std::size(all)];
  chosen.mix = number / std::size(all);
  return chosen;
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

NetCalibrationParameter table_of(const Network& network, const net::testing::Values& inputs,
                                 const Configuration& chosen) {
  NetCalibrationParameter table = net::testing::largest_values(network, inputs);
  if (!chosen.is_mixed) return table;
  const bool has_16 = chosen.target->has_type(DType::f16), has_8 = chosen.type == DType::i8;
  std::vector<const char*> types{"fp32"};
  if (has_16) types.insert(types.end(), {"fp16", "bf16"});
  tputwin::testing::Rng rng(chosen.mix);
  if (has_16 && has_8) table.set_floats(types[rng.below(types.size())]);
  if (has_8) types.push_back("int8");
  for (auto& layer : *table.mutable_layer()) layer.set_type(types[rng.below(types.size())]);
  return table;
}

std::string wrong_levels(const Network& network, const net::testing::Values& inputs,
                         const Configuration& chosen, const NetCalibrationParameter& table) {
  Outputs first;
  for (const net::Level level : {net::Level::none, net::Level::weight_optimization}) {
    std::vector<bm1684x::LayerPlace> places;
    auto compiled = bm1684x::compile(
        network, {.type = chosen.type, .table = &table, .level = level, .places = &places});
    if (!compiled.ok()) return wrong_refusal(compiled.status());
    auto results = net::testing::run(*compiled, network, inputs);
    if (!results.ok()) return "the compiled net does not run: " + results.status().message();
    if (level == net::Level::none)
      first = std::move(*results);
    else if (std::string wrong = difference(first, *results); !wrong.empty())
      return "levels: " + wrong;
    else if (wrong = wrong_file({&*compiled, 1}); !wrong.empty())
      return wrong;
  }
  const bool has_interpreter = chosen.target->packing() != nullptr && chosen.type == DType::i8;
  return has_interpreter && !chosen.is_mixed && net::testing::is_of_bytes(network)
             ? net::testing::difference_from_interpreter(network, inputs)
             : "";
}

std::string wrong_stages(const std::vector<Stage>& stages, const Configuration& chosen,
                         const NetCalibrationParameter& table) {
  const bm1684x::StreamOptions options{.type = chosen.type, .table = &table};
  std::vector<Network> networks;
  for (const Stage& stage : stages) networks.push_back(stage.network);
  auto together = bm1684x::compile_stages(networks, options);
  if (!together.ok()) return wrong_refusal(together.status());
  for (size_t i = 0; i < stages.size(); ++i) {
    const auto& [network, inputs] = stages[i];
    auto alone = bm1684x::compile(network, options);
    if (!alone.ok()) return "a stage compiles, but not alone: " + alone.status().message();
    auto actual = net::testing::run((*together)[i], network, inputs);
    auto expected = net::testing::run(*alone, network, inputs);
    if (!actual.ok()) return "a stage does not run: " + actual.status().message();
    if (!expected.ok()) return "the compiled net does not run: " + expected.status().message();
    if (std::string wrong = difference(*expected, *actual); !wrong.empty())
      return fmt::format("stage {}: {}", i, wrong);
  }
  return wrong_file(*together);
}

}  // namespace tputwin::fuzz
