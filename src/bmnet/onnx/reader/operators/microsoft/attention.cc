// Layers of transformers that ONNX Runtime's optimizer writes: attention of one packed projection,
// embeddings, and rotary positions.
#include <fmt/format.h>

#include <numeric>

#include "bmnet/onnx/reader/operators/microsoft/microsoft.h"

namespace tputwin::net::onnx_reader {
namespace {

void require_absent(const Node& node, size_t input, std::string_view name, std::string_view way) {
  node.require(!node.has(input), name,
               node.has(input) ? node.proto.input(static_cast<int>(input)) : "", std::string(way));
}

// The sizes of queries, keys and values in the packed projection of so many columns.
Dims sizes_of(const Node& node, int64_t columns) {
  Dims sizes = node.integers("qkv_hidden_sizes");
  if (sizes.empty()) sizes.assign(3, columns / 3);
  node.require(
      sizes.size() == 3 && std::accumulate(sizes.begin(), sizes.end(), int64_t{0}) == columns,
      "qkv_hidden_sizes", text(sizes), fmt::format("three sizes, {} in all", columns));
  return sizes;
}

// The number of tokens of each sample that count; 0 without a mask, as in ONNX Runtime.
std::string lengths_of(Node& node, Expansion& made, size_t mask) {
  if (!node.has(mask)) return made.integers(Dims(static_cast<size_t>(node.dims()[0]), 0));
  return made.add("ReduceSum", {made.in(mask), made.integers({1})}, {{"keepdims", int64_t{0}}});
}

}  // namespace

// Inputs: x, weights (columns of queries, keys, values), bias, mask_index, past, attention_bias.
void expand_attention_of_microsoft(Node& node) {
  constexpr size_t kMask = 3, kPast = 4, kScoreBias = 5;
  require_absent(node, kPast, "past", "absent; export the net without a cache");
  node.require(node.integer("do_rotary", 0) == 0, "do_rotary", "1", "0");
  const Dims& w = node.dims(1);
  node.require(node.dims().size() == 3 && w.size() == 2, "input, weights", text(node.dims()),
               "(batch, length, size) and a matrix");
  const Dims sizes = sizes_of(node, w[1]);
  node.expansion_opset = 23;
  Expansion made(node);
  std::string all = made.add("MatMul", {made.in(0), made.in(1)});
  if (node.has(2)) all = made.add("Add", {all, made.in(2)});
  std::vector<std::string> operands =
      made.add_many("Split", {all, made.integers(sizes)}, 3, {{"axis", int64_t{2}}});
  operands.push_back(attention_bias(made, node, kMask, kScoreBias, node.dims()[1]));
  const int64_t heads = node.integer("num_heads", 0);
  std::vector<Expansion::Attribute> attributes{{"q_num_heads", heads},
                                               {"kv_num_heads", heads},
                                               {"is_causal", node.integer("unidirectional", 0)}};
  if (const float scale = node.real("scale", 0); scale != 0) attributes.push_back({"scale", scale});
  made.set(made.add("Attention", operands, attributes));
}

// Inputs: tokens, segments, the tables of tokens, positions and segments, gamma, beta, mask,
// position_ids. Outputs: the result, a mask, and the sum before the normalization.
void expand_embed_layer_normalization(Node& node) {
  enum Input : size_t {
    kTokens,
    kSegments,
    kTokenTable,
    kPositionTable,
    kSegmentTable,
    kGamma,
    kBeta,
    kMask,
    kPositions
  };
  const Dims& tokens = node.dims(kTokens);
  node.require(tokens.size() == 2, "input_ids", text(tokens), "(batch, length)");
  Expansion made(node);
  if (node.wants(1)) made.set(lengths_of(node, made, kMask), 1);
  const auto rows = [&](size_t table, const std::string& positions) {
    return made.add("Gather", {made.in(table), positions}, {{"axis", int64_t{0}}});
  };
  Dims all(static_cast<size_t>(tokens[1]));
  std::iota(all.begin(), all.end(), 0);
  const std::string positions = node.has(kPositions) ? made.in(kPositions) : made.integers(all);
  std::string sum =
      made.add("Add", {rows(kTokenTable, made.in(kTokens)), rows(kPositionTable, positions)});
  if (node.has(kSegments)) sum = made.add("Add", {sum, rows(kSegmentTable, made.in(kSegments))});
  if (node.wants(2)) made.set(made.add("Identity", {sum}), 2);
  made.set(made.add("LayerNormalization", {sum, made.in(kGamma), made.in(kBeta)},
                    {{"axis", int64_t{-1}}, {"epsilon", node.real("epsilon", 1e-12f)}}));
}

namespace {

// Returns position_ids for each token: they are given, or that of the first token is.
std::string positions_of_tokens(Expansion& made, const Node& node, const Dims& tokens) {
  if (elements(node.dims(1)) != 1 || elements(tokens) == 1)
    return made.add("Reshape", {made.in(1), made.integers(tokens)});
  Dims all(static_cast<size_t>(elements(tokens)));
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int64_t>(i) % tokens.back();
  const std::string steps = made.add("Reshape", {made.integers(all), made.integers(tokens)});
  return made.add("Add", {steps, made.add("Reshape", {made.in(1), made.integers({1})})});
}

}  // namespace

// Inputs: x, position_ids (of each token, or the first), tables of cosines and sines.
void expand_rotary_embedding_of_microsoft(Node& node) {
  node.require(node.integer("is_packed_batching", 0) == 0, "is_packed_batching", "1", "0");
  node.require(node.real("scale", 1) == 1, "scale", std::to_string(node.real("scale", 1)), "1");
  const Dims &x = node.dims(), &table = node.dims(2);
  node.require((x.size() == 3 || x.size() == 4) && table.size() == 2 && table[1] > 0, "input",
               text(x), "(batch, length, size) or (batch, heads, length, size)");
  const int64_t length = x[x.size() - 2];
  node.expansion_opset = 23;
  Expansion made(node);
  const std::string of_tokens = positions_of_tokens(made, node, {x[0], length});
  const int64_t dim = node.integer("rotary_embedding_dim", 0);
  int64_t heads = node.integer("num_heads", 0);
  if (heads == 0 && x.size() == 3) heads = x[2] / (2 * table[1]);
  std::vector<Expansion::Attribute> attributes{{"interleaved", node.integer("interleaved", 0)},
                                               {"rotary_embedding_dim", dim}};
  if (x.size() == 3) attributes.push_back({"num_heads", heads});
  made.set(
      made.add("RotaryEmbedding", {made.in(0), made.in(2), made.in(3), of_tokens}, attributes));
}

}  // namespace tputwin::net::onnx_reader
