// MultiHeadAttention of ONNX Runtime: biases, and the Attention of ONNX.
#include <fmt/format.h>

#include "bmnet/onnx/reader/operators/microsoft/microsoft.h"

namespace tputwin::net::onnx_reader {
namespace {

// Inputs: query, key, value (batch, length, size), bias, key_padding_mask, attention_bias,
// past_key, past_value.
enum Input : size_t { kQuery, kKey, kValue, kBias, kPaddingMask, kScoreBias, kPastKey, kPastValue };

// Adds the part of the biases that follows those of the inputs before it.
std::string biased(Node& node, Expansion& made, size_t input, int64_t& begin) {
  const int64_t size = node.dims(input).back();
  if (!node.has(kBias)) return made.in(input);
  const std::string part = made.add("Slice", {made.in(kBias), made.integers({begin}),
                                              made.integers({begin + size}), made.integers({0})});
  begin += size;
  return made.add("Add", {made.in(input), part});
}

}  // namespace

void expand_multi_head_attention(Node& node) {
  for (const size_t input : {size_t{kQuery}, size_t{kKey}, size_t{kValue}})
    node.require(node.has(input) && node.dims(input).size() == 3, "query, key, value",
                 node.has(input) ? text(node.dims(input)) : "absent",
                 "(batch, length, size) each; export the net without packed tensors");
  node.require(node.inputs() <= 8 && !node.wants(3), "inputs", fmt::format("{}", node.inputs()),
               "at most eight; the fourth output is not wanted");
  node.expansion_opset = 23;
  Expansion made(node);
  int64_t begin = 0;
  std::vector<std::string> operands;
  for (const size_t input : {size_t{kQuery}, size_t{kKey}, size_t{kValue}})
    operands.push_back(biased(node, made, input, begin));
  const int64_t past = node.has(kPastKey) ? node.dims(kPastKey).at(2) : 0;
  operands.push_back(
      attention_bias(made, node, kPaddingMask, kScoreBias, past + node.dims(kKey)[1]));
  if (node.has(kPastKey))
    for (const size_t input : {size_t{kPastKey}, size_t{kPastValue}})
      operands.push_back(made.in(input));
  const int64_t heads = node.integer("num_heads", 0);
  std::vector<Expansion::Attribute> attributes{{"q_num_heads", heads},
                                               {"kv_num_heads", heads},
                                               {"is_causal", node.integer("unidirectional", 0)}};
  if (const float scale = node.real("scale", 0); scale != 0) attributes.push_back({"scale", scale});
  const size_t outputs = node.wants(1) || node.wants(2) ? 3 : 1;
  const auto results = made.add_many("Attention", operands, outputs, attributes);
  for (size_t i = 0; i < outputs; ++i)
    if (node.wants(i)) made.set(results[i], i);
}

}  // namespace tputwin::net::onnx_reader
