// Random models of attention, and of the operators that ONNX Runtime writes into optimized files.
#include "onnx_runtime/draft.h"

namespace tputwin::test {
namespace {

onnx::NodeProto& microsoft(Draft& d, const char* type, const std::vector<std::string>& inputs,
                           const std::vector<std::string>& outputs = {"y"}) {
  auto& import = *d.builder.model.add_opset_import();
  import.set_domain("com.microsoft");
  import.set_version(1);
  auto& node = d.builder.node(type, inputs, outputs);
  node.set_domain("com.microsoft");
  return node;
}

// ---- Attention ----

void attention(Draft& d) {
  const int64_t batch = d.range(1, 2), kv_heads = d.range(1, 2), heads = kv_heads * d.range(1, 2);
  const int64_t queries = d.range(1, 5), keys = d.range(1, 5), size = d.range(1, 4),
                value_size = d.range(1, 4);
  const bool three_axes = d.rng.coin();
  const auto dims = [&](int64_t head_count, int64_t length, int64_t head_size) {
    return three_axes ? Dims{batch, length, head_count * head_size}
                      : Dims{batch, head_count, length, head_size};
  };
  std::vector<std::string> names{d.input("q", dims(heads, queries, size)),
                                 d.input("k", dims(kv_heads, keys, size)),
                                 d.input("v", dims(kv_heads, keys, value_size))};
  const bool is_causal = d.rng.chance(1, 3);
  if (d.rng.coin()) {
    if (d.rng.chance(1, 3)) {
      d.builder.weights("zero", {}, {0});
      d.builder.node("Greater", {d.input("m", {queries, keys}), "zero"}, {"mask"});
      names.push_back("mask");
    } else if (d.rng.coin()) {
      std::vector<int64_t> kept;
      for (int64_t i = 0; i < queries * keys; ++i) kept.push_back(d.rng.coin());
      d.builder.integers("mask", {queries, keys}, kept, onnx::TensorProto::BOOL);
      names.push_back("mask");
    } else {
      names.push_back(d.rng.coin() ? d.weights("mask", {queries, keys})
                                   : d.input("mask", {queries, keys}));
    }
  }
  const bool has_past = !is_causal && d.rng.chance(1, 3);
  if (has_past && names.size() == 3) {
    const int64_t past = d.range(1, 3);
    names.insert(names.end(), {"", d.input("past_k", {batch, kv_heads, past, size}),
                               d.input("past_v", {batch, kv_heads, past, value_size})});
    auto& node = d.builder.node("Attention", names, {"y", "present_k", "present_v"});
    d.builder.output("present_k");
    d.builder.output("present_v");
    if (three_axes) set(node, "q_num_heads", heads), set(node, "kv_num_heads", kv_heads);
    return;
  }
  auto& node = d.builder.node("Attention", names, {"y"});
  if (three_axes) set(node, "q_num_heads", heads), set(node, "kv_num_heads", kv_heads);
  if (is_causal) set(node, "is_causal", int64_t{1});
  if (d.rng.coin()) set(node, "scale", d.real(0.2f, 1));
  if (d.rng.chance(1, 3)) set(node, "softcap", d.real(1, 4));
}

void rotary_embedding(Draft& d) {
  const int64_t batch = d.range(1, 2), heads = d.range(1, 3), length = d.range(1, 4),
                half = d.range(1, 3), rest = d.rng.coin() ? 0 : 2, size = 2 * half + rest;
  const bool three_axes = d.rng.coin(), has_positions = d.rng.coin();
  std::vector<std::string> names{d.input(
      "x", three_axes ? Dims{batch, length, heads * size} : Dims{batch, heads, length, size})};
  const Dims table = has_positions ? Dims{8, half} : Dims{batch, length, half};
  names.push_back(d.weights("cos", table));
  names.push_back(d.weights("sin", table));
  if (has_positions) {
    std::vector<int64_t> positions;
    for (int64_t i = 0; i < batch * length; ++i) positions.push_back(d.range(0, 7));
    d.builder.integers("positions", {batch, length}, positions);
    names.push_back("positions");
  }
  auto& node = d.builder.node("RotaryEmbedding", names, {"y"});
  if (three_axes) set(node, "num_heads", heads);
  if (rest != 0) set(node, "rotary_embedding_dim", 2 * half);
  if (d.rng.coin()) set(node, "interleaved", int64_t{1});
}

// ---- com.microsoft ----

void set_activation(Draft& d, onnx::NodeProto& node) {
  const std::string type = d.rng.pick({"Relu", "Tanh", "Sigmoid", "LeakyRelu", "Clip"});
  set(node, "activation", type);
  auto& list = *node.add_attribute();
  list.set_name("activation_params");
  list.set_type(onnx::AttributeProto::FLOATS);
  if (type == "LeakyRelu") list.add_floats(d.real(0.1f, 0.5f));
  if (type == "Clip") list.add_floats(-1), list.add_floats(1.5f);
}

void fused_conv(Draft& d) {
  const Dims x{d.range(1, 2), d.range(1, 4), d.range(4, 8), d.range(4, 8)};
  const int64_t out = d.range(1, 4);
  std::vector<std::string> names{d.input("x", x), d.weights("w", {out, x[1], 3, 3}),
                                 d.weights("b", {out})};
  if (d.rng.coin()) names.push_back(d.input("z", {x[0], out, x[2], x[3]}));
  auto& node = microsoft(d, "FusedConv", names);
  set(node, "kernel_shape", Dims{3, 3});
  set(node, "pads", Dims{1, 1, 1, 1});
  set_activation(d, node);
}

void fused_gemm(Draft& d) {
  const int64_t m = d.range(1, 4), k = d.range(1, 7), n = d.range(1, 7);
  auto& node = microsoft(d, "FusedGemm",
                         {d.input("x", {m, k}), d.weights("w", {k, n}), d.weights("c", {n})});
  const std::string type = d.rng.pick({"Relu", "Tanh", "Sigmoid", "LeakyRelu"});
  set(node, "activation", type);
  if (type == "LeakyRelu") set(node, "activation_alpha", d.real(0.1f, 0.5f));
}

void fused_matmul(Draft& d) {
  const int64_t batch = d.range(1, 3), m = d.range(1, 4), k = d.range(1, 5), n = d.range(1, 4);
  const bool turns_a = d.rng.coin(), turns_b = d.rng.coin();
  auto& node = microsoft(d, "FusedMatMul",
                         {d.input("a", turns_a ? Dims{batch, k, m} : Dims{batch, m, k}),
                          d.input("b", turns_b ? Dims{batch, n, k} : Dims{batch, k, n})});
  set(node, "transA", int64_t{turns_a});
  set(node, "transB", int64_t{turns_b});
  set(node, "alpha", d.real(0.5f, 2));
}

void gelus(Draft& d) {
  const Dims x = d.any();
  const std::string type = d.rng.pick({"Gelu", "BiasGelu", "FastGelu", "QuickGelu"});
  std::vector<std::string> names{d.input("x", x)};
  if (type == "BiasGelu" || (type == "FastGelu" && d.rng.coin()))
    names.push_back(d.weights("b", {x.back()}));
  microsoft(d, type.c_str(), names);
}

void skip_layer_normalization(Draft& d) {
  const Dims x{d.range(1, 2), d.range(1, 4), d.range(2, 8)};
  const bool is_simple = d.rng.coin(), has_bias = d.rng.coin();
  std::vector<std::string> names{d.input("x", x), d.input("skip", x), d.weights("s", {x[2]})};
  if (!is_simple) names.push_back(d.weights("beta", {x[2]}));
  if (has_bias) names.push_back(d.weights("bias", {x[2]}));
  const bool wants_sum = d.rng.coin();
  std::vector<std::string> outputs{"y"};
  if (wants_sum) outputs.insert(outputs.end(), {"", "", "sum"});
  auto& node = microsoft(
      d, is_simple ? "SkipSimplifiedLayerNormalization" : "SkipLayerNormalization", names, outputs);
  set(node, "epsilon", 1e-5f);
  if (wants_sum) d.builder.output("sum");
}

void simplified_layer_normalization(Draft& d) {
  const Dims x{d.range(1, 2), d.range(1, 4), d.range(2, 8)};
  auto& node = d.builder.node("SimplifiedLayerNormalization",
                              {d.input("x", x), d.weights("s", {x[2]})}, {"y"});
  set(node, "axis", int64_t{-1});
  set(node, "epsilon", 1e-5f);
}

void mat_mul_n_bits(Draft& d) {
  const int64_t m = d.range(1, 3), k = d.range(3, 70), n = d.range(1, 6);
  const int64_t bits = d.rng.coin() ? 4 : 8, block = d.rng.coin() ? 16 : 32;
  const int64_t blocks = (k + block - 1) / block, bytes = block * bits / 8;
  std::vector<int64_t> packed, zeros;
  for (int64_t i = 0; i < n * blocks * bytes; ++i) packed.push_back(d.range(0, 255));
  d.builder.integers("b", {n, blocks, bytes}, packed, onnx::TensorProto::UINT8);
  std::vector<std::string> names{d.input("a", {m, k}), "b",
                                 d.weights("scales", {n * blocks}, 0.01f, 0.1f)};
  if (d.rng.coin()) {
    const int64_t in_row = (blocks * bits + 7) / 8;
    for (int64_t i = 0; i < n * in_row; ++i) zeros.push_back(d.range(0, 255));
    d.builder.integers("zeros", {n * in_row}, zeros, onnx::TensorProto::UINT8);
    names.push_back("zeros");
  }
  auto& node = microsoft(d, "MatMulNBits", names);
  set(node, "K", k);
  set(node, "N", n);
  set(node, "bits", bits);
  set(node, "block_size", block);
}

}  // namespace

std::vector<Kind> kinds_of_transformers() {
  return {{"Attention", 23, attention},
          {"RotaryEmbedding", 23, rotary_embedding},
          {"FusedConv", 11, fused_conv},
          {"FusedGemm", 11, fused_gemm},
          {"FusedMatMul", 13, fused_matmul},
          {"Gelus", 13, gelus},
          {"SkipLayerNormalization", 13, skip_layer_normalization},
          {"SimplifiedLayerNormalization", 13, simplified_layer_normalization},
          {"MatMulNBits", 13, mat_mul_n_bits}};
}

}  // namespace tputwin::test
