// Nets of bytes beside the int8 interpreter.
#include "bmnet_bm1684x/interpreter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "bmnet/reference/execute.h"
#include "bmnet/targets/bm1684/bytes/quantize.h"
#include "bmnet/targets/bm1684/bytes/rewrite.h"

namespace tputwin::net::testing {
namespace {

using Bytes = std::map<std::string, TensorBytes>;

// Returns the bytes of inputs as the net makes them.
Bytes bytes_of_inputs(const QuantizedNet& net, const Values& inputs) {
  Bytes bytes;
  for (const std::string& name : net.network.inputs()) {
    const float scale = 128 / net.threshold_of(name);
    for (const float x : inputs.at(name).data) {
      const float scaled = std::min(std::max(x * scale, -128.0f), 127.0f);
      bytes[name].push_back(static_cast<uint8_t>(static_cast<int>(std::nearbyint(scaled))));
    }
  }
  return bytes;
}

}  // namespace

bool is_of_bytes(const Network& network) {
  std::set<std::string> bytes;
  for (const TensorOp& op : network.ops) {
    if (is(op, Op::start) || is(op, Op::end)) continue;
    const bool has_bytes = std::ranges::any_of(
        op.bottom(), [&](const std::string& tensor) { return bytes.contains(tensor); });
    const bool is_product = is(op, Op::convolution) || is(op, Op::inner_product);
    if (!bm1684::computes_bytes(op) && !has_trait(op, trait::moves_elements)) return false;
    if (!is_product && !has_bytes) return false;
    bytes.insert(op.top().begin(), op.top().end());
  }
  return !bytes.empty();
}

std::string difference_from_interpreter(const Network& network, const Values& inputs) {
  const NetCalibrationParameter table = largest_values(network, inputs);
  Network rewritten = network;
  auto own_table = bm1684::rewrite(rewritten, table);
  if (!own_table.ok()) return own_table.status().message();
  auto quantized = bm1684::quantized(rewritten, *own_table);
  if (!quantized.ok()) return quantized.status().message();
  auto expected =
      run_int8(quantized->network, quantized->integers, bytes_of_inputs(*quantized, inputs));
  if (!expected.ok()) return expected.status().message();
  for (const Level level : {Level::none, Level::layer_group, Level::weight_optimization}) {
    auto compiled = bm1684x::compile(network, {.type = DType::i8, .table = &table, .level = level});
    if (!compiled.ok()) return compiled.status().message();
    auto actual = run(*compiled, network, inputs);
    if (!actual.ok()) return actual.status().message();
    const std::vector<std::string> outputs = quantized->network.outputs();
    for (size_t i = 0; i < outputs.size(); ++i) {
      const TensorBytes& bytes = expected->at(outputs[i]);
      const float scale = quantized->threshold_of(outputs[i]) / 128;
      for (size_t k = 0; k < bytes.size(); ++k)
        if ((*actual)[i][k] != static_cast<int8_t>(bytes[k]) * scale)
          return fmt::format("level {}, output {} at {}: {} instead of {} * {}",
                             static_cast<int>(level), i, k, (*actual)[i][k],
                             static_cast<int8_t>(bytes[k]), scale);
    }
  }
  return "";
}

}  // namespace tputwin::net::testing
