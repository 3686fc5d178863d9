// GroupQueryAttention of ONNX Runtime: causal attention that appends to a cache of keys and values.
//
// Token s of a sample with `start` cached tokens reads the keys t <= start + s, and only the last
// `local_window_size` of them if that is not -1. A call whose tokens are all that there are
// (a prompt) starts at 0; any other starts at seqlens_k + 1 - tokens, which may be computed.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bmnet/onnx/reader/operators/microsoft/microsoft.h"

namespace tputwin::net::onnx_reader {
namespace {

enum GroupInput : size_t {
  kQueries,
  kNewKeys,
  kNewValues,
  kCachedKeys,
  kCachedValues,
  kSeqlens,
  kTotal,
  kCosines,
  kSines,
  kPositionIds,
  kAttentionBias,
  kHeadSink,
  kCacheScales
};

struct Extents {
  int64_t samples, tokens, heads, key_heads, size;
  int64_t past, total, present;  // keys: cached, that count, stored
  bool is_packed;
  bool is_prompt() const { return tokens == total; }
};

int64_t total_of(const Node& node) {
  const Constant* total = node.constant(kTotal);
  node.require(total != nullptr && total->is_integer() && total->size() == 1,
               "total_sequence_length", node.proto.input(kTotal),
               "a constant of one value: give inputs, such as attention_mask, fixed extents");
  return total->integers[0];
}

void require_forms(const Node& node) {
  node.require(node.has(kSeqlens) && node.has(kTotal), "seqlens_k, total_sequence_length", "absent",
               "given");
  node.require(node.has(kNewKeys) == node.has(kNewValues), "key", "alone", "together with value");
  node.require(node.has(kCachedKeys) == node.has(kCachedValues), "past_key", "alone",
               "together with past_value");
  node.require(!node.has(kCacheScales) && node.text("k_quant_type", "NONE") == "NONE" &&
                   node.text("v_quant_type", "NONE") == "NONE",
               "k_quant_type, v_quant_type", "quantized", "NONE; export a cache of floats");
  const int64_t window = node.integer("local_window_size", -1);
  node.require(window == -1 || window >= 1, "local_window_size", std::to_string(window),
               "-1, or at least 1");
  node.require(!node.wants(3), "output_qk", "wanted", "not wanted; leave qk_output out");
}

Extents group_extents(const Node& node) {
  require_forms(node);
  const Dims& q = node.dims();
  Extents e{};
  e.heads = node.integer("num_heads", 0);
  e.key_heads = node.integer("kv_num_heads", 0);
  e.is_packed = !node.has(kNewKeys);
  const int64_t parts = e.heads + (e.is_packed ? 2 * e.key_heads : 0);
  node.require(e.heads > 0 && e.key_heads > 0 && e.heads % e.key_heads == 0, "kv_num_heads",
               std::to_string(e.key_heads), fmt::format("it divides the {} heads", e.heads));
  node.require(q.size() == 3 && q[2] % parts == 0, "query", text(q),
               fmt::format("(batch, length, size), whose size is a multiple of {}", parts));
  e.samples = q[0];
  e.tokens = q[1];
  e.size = q[2] / parts;
  const Dims keys{e.samples, e.tokens, e.key_heads * e.size};
  for (const size_t input : {size_t{kNewKeys}, size_t{kNewValues}})
    node.require(e.is_packed || node.dims(input) == keys, "key, value",
                 e.is_packed ? "" : text(node.dims(input)), text(keys));
  for (const size_t input : {size_t{kCachedKeys}, size_t{kCachedValues}}) {
    if (!node.has(input)) continue;
    const Dims& past = node.dims(input);
    if (past.size() == 4) e.past = past[2];
    node.require(past == Dims{e.samples, e.key_heads, e.past, e.size}, "past_key, past_value",
                 text(past), "(batch, kv_num_heads, length, size of a head), both alike");
  }
  e.total = total_of(node);
  node.require(e.total == e.tokens || (e.total > e.tokens && e.total <= e.past + e.tokens),
               "total_sequence_length", std::to_string(e.total),
               fmt::format("{} to {}: cached tokens and new ones", e.tokens, e.past + e.tokens));
  e.present = std::max(e.past, e.total);
  node.require(elements(node.dims(kSeqlens)) == e.samples, "seqlens_k", text(node.dims(kSeqlens)),
               "a length for each sample");
  return e;
}

std::vector<float> counted(int64_t count, float first = 0) {
  std::vector<float> values(static_cast<size_t>(count));
  std::iota(values.begin(), values.end(), first);
  return values;
}

// Where the tokens of each sample begin in the cache.
class Starts {
 public:
  Starts(Node& node, Expansion& made, const Extents& e) : node_(node), made_(made), e_(e) {
    const Constant* lengths = node.constant(kSeqlens);
    if (e.is_prompt()) known_ = Dims(static_cast<size_t>(e.samples), 0);
    if (lengths == nullptr) return;
    for (const int64_t length : lengths->whole()) {
      const int64_t start = length + 1 - e.tokens;
      node.require(
          length >= 0 && length < e.total && (e.is_prompt() || (start >= 0 && start <= e.past)),
          "seqlens_k", std::to_string(length),
          fmt::format("the keys of the sample less 1, {} at the most", e.total - 1));
      if (!e.is_prompt()) known_.push_back(start);
    }
  }

  bool is_known() const { return !known_.empty(); }
  const Dims& known() const { return known_; }
  // True if the new tokens of all samples follow the whole cache.
  bool is_end_of_past() const {
    return is_known() && std::ranges::all_of(known_, [&](int64_t at) { return at == e_.past; }) &&
           e_.present == e_.past + e_.tokens;
  }

  // Returns the positions of all tokens as integers, (samples, tokens). ONNX Runtime reads only the
  // first of position_ids for a prompt.
  std::string positions() const {
    const bool is_given = node_.has(kPositionIds);
    if (is_given && !e_.is_prompt()) return made_.in(kPositionIds);
    if (!is_known()) {
      const std::string lengths =
          made_.add("Cast", {made_.in(kSeqlens)}, {{"to", int64_t{onnx::TensorProto::INT64}}});
      Dims steps(static_cast<size_t>(e_.tokens));
      std::iota(steps.begin(), steps.end(), 1 - e_.tokens);
      return made_.add(
          "Add", {made_.add("Reshape", {lengths, made_.integers({e_.samples, 1})}),
                  made_.add("Reshape", {made_.integers(steps), made_.integers({1, e_.tokens})})});
    }
    Dims all;
    for (const int64_t start : known_)
      for (int64_t s = 0; s < e_.tokens; ++s) all.push_back(start + s);
    const std::string steps =
        made_.add("Reshape", {made_.integers(all), made_.integers({e_.samples, e_.tokens})});
    if (!is_given) return steps;
    const std::string flat = made_.add("Reshape", {made_.in(kPositionIds), made_.integers({-1})});
    return made_.add("Add",
                     {steps, made_.add("Slice", {flat, made_.integers({0}), made_.integers({1})})});
  }

  // Returns start + step for each step as floats, (samples, 1, tokens, 1); of one step the start.
  std::string reals(int64_t steps) const {
    std::vector<float> all;
    for (const int64_t start : known_)
      for (int64_t s = 0; s < steps; ++s) all.push_back(static_cast<float>(start + s));
    if (is_known()) return made_.reals({e_.samples, 1, steps, 1}, all);
    const std::string lengths = made_.add(
        "Reshape",
        {made_.add("Cast", {made_.in(kSeqlens)}, {{"to", int64_t{onnx::TensorProto::FLOAT}}}),
         made_.integers({e_.samples, 1, 1, 1})});
    const auto first = static_cast<float>(1 - e_.tokens);
    return made_.add("Add", {lengths, made_.reals({1, 1, steps, 1}, counted(steps, first))});
  }

 private:
  Node& node_;
  Expansion& made_;
  const Extents& e_;
  Dims known_;
};

class KeyCache {
 public:
  KeyCache(Node& node, Expansion& made, const Extents& e, const Starts& starts)
      : node_(node), made_(made), e_(e), starts_(starts) {}

  // Returns the keys or values that count, of new ones and of the cache `past`. Makes all that are
  // stored the output `present`.
  std::string stored(const std::string& added, size_t past, size_t present) const {
    if (e_.is_prompt()) {
      if (node_.wants(present)) made_.set(padded(added, e_.tokens), present);
      return added;
    }
    std::string all;
    if (starts_.is_end_of_past())
      all = made_.add("Concat", {made_.in(past), added}, {{"axis", int64_t{2}}});
    else
      all = made_.add("Add", {kept(made_.in(past)), placed(added)});
    if (node_.wants(present)) made_.set(made_.add("Identity", {all}), present);
    if (e_.total == e_.present) return all;
    return made_.add("Slice",
                     {all, made_.integers({0}), made_.integers({e_.total}), made_.integers({2})});
  }

 private:
  // Adds zeros up to the end of what is stored.
  std::string padded(const std::string& x, int64_t length) const {
    if (length == e_.present) return made_.add("Identity", {x});
    const Dims rest{e_.samples, e_.key_heads, e_.present - length, e_.size};
    const std::vector<float> zeros(static_cast<size_t>(elements(rest)), 0.0f);
    return made_.add("Concat", {x, made_.reals(rest, zeros)}, {{"axis", int64_t{2}}});
  }

  std::string places() const { return made_.reals({1, 1, e_.present, 1}, counted(e_.present)); }

  // The cached ones, and zeros from the start of the new ones on.
  std::string kept(const std::string& past) const {
    return made_.keep(padded(past, e_.past), made_.add("Less", {places(), starts_.reals(1)}));
  }

  // The new ones at their places, and zeros elsewhere.
  std::string placed(const std::string& added) const {
    const Dims all{e_.samples, e_.key_heads, e_.present, e_.size};
    if (e_.tokens == 1)
      return made_.keep(made_.add("Expand", {added, made_.integers(all)}),
                        made_.add("Equal", {places(), starts_.reals(1)}));
    const std::string to =
        made_.add("Transpose", {starts_.reals(e_.tokens)}, {{"perm", Dims{0, 1, 3, 2}}});
    const std::string is_there = made_.add("Cast", {made_.add("Equal", {places(), to})},
                                           {{"to", int64_t{onnx::TensorProto::FLOAT}}});
    const std::string of_heads = made_.add(
        "Expand", {is_there, made_.integers({e_.samples, e_.key_heads, e_.present, e_.tokens})});
    return made_.add("MatMul", {of_heads, added});
  }

  Node& node_;
  Expansion& made_;
  const Extents& e_;
  const Starts& starts_;
};

// The scores, and minus infinity at keys that a token must not read.
std::string causally_masked(const Node& node, Expansion& made, const Extents& e,
                            const Starts& starts, const std::string& scores) {
  const int64_t window = node.integer("local_window_size", -1);
  if (starts.is_known()) {
    std::vector<float> mask;
    for (const int64_t start : starts.known())
      for (int64_t s = 0; s < e.tokens; ++s)
        for (int64_t t = 0; t < e.total; ++t) {
          const bool is_read = t <= start + s && (window < 0 || t > start + s - window);
          mask.push_back(is_read ? 0.0f : -INFINITY);
        }
    if (std::ranges::all_of(mask, [](float value) { return value == 0; })) return scores;
    int64_t samples = e.samples;
    const bool is_alike = std::ranges::all_of(
        starts.known(), [&](int64_t start) { return start == starts.known()[0]; });
    if (is_alike) samples = 1;
    mask.resize(static_cast<size_t>(samples * e.tokens * e.total));
    return made.add("Add", {scores, made.reals({samples, 1, e.tokens, e.total}, mask)});
  }
  const std::string keys = made.reals({1, 1, 1, e.total}, counted(e.total));
  const std::string last = starts.reals(e.tokens);
  std::string is_read = made.add("LessOrEqual", {keys, last});
  if (window >= 0) {
    const std::string first = made.add("Sub", {last, made.real(static_cast<float>(window - 1))});
    is_read = made.add("And", {is_read, made.add("GreaterOrEqual", {keys, first})});
  }
  return made.add("Where", {is_read, scores, made.real(-INFINITY)});
}

// The softmax of scores, with a further score in the sum of each head whose weight is dropped: of
// head_sink, or 0.
std::string softmax_with_sink(const Node& node, Expansion& made, const Extents& e,
                              const std::string& scores) {
  if (!node.has(kHeadSink) && node.integer("smooth_softmax", 0) != 1)
    return made.add("Softmax", {scores}, {{"axis", int64_t{-1}}});
  const std::vector<float> zeros(static_cast<size_t>(e.heads), 0.0f);
  const std::string sink = node.has(kHeadSink) ? made.in(kHeadSink) : made.reals({e.heads}, zeros);
  const std::string of_tokens =
      made.add("Expand", {made.add("Reshape", {sink, made.integers({1, e.heads, 1, 1})}),
                          made.integers({e.samples, e.heads, e.tokens, 1})});
  const std::string all = made.add("Concat", {scores, of_tokens}, {{"axis", int64_t{3}}});
  return made.add("Slice", {made.add("Softmax", {all}, {{"axis", int64_t{-1}}}), made.integers({0}),
                            made.integers({e.total}), made.integers({3})});
}

// softmax(Q K^T * scale + mask) V. The queries of a group follow each other as rows of one matrix.
std::string attended(const Node& node, Expansion& made, const Extents& e, const Starts& starts,
                     const std::string& q, const std::string& k, const std::string& v) {
  const int64_t rows = e.heads / e.key_heads * e.tokens;
  const auto grouped = [&](const std::string& x, int64_t columns) {
    return made.add("Reshape", {x, made.integers({e.samples, e.key_heads, rows, columns})});
  };
  const auto of_heads = [&](const std::string& x, int64_t columns) {
    return made.add("Reshape", {x, made.integers({e.samples, e.heads, e.tokens, columns})});
  };
  float scale = node.real("scale", 0);
  if (scale == 0) scale = 1 / std::sqrt(static_cast<float>(e.size));
  const std::string turned = made.add("Transpose", {k}, {{"perm", Dims{0, 1, 3, 2}}});
  std::string scores =
      made.add("MatMul", {grouped(made.add("Mul", {q, made.real(scale)}), e.size), turned});
  scores = of_heads(scores, e.total);
  if (const float cap = node.real("softcap", 0); cap > 0) {
    const std::string small = made.add("Mul", {scores, made.real(1 / cap)});
    scores = made.add("Mul", {made.add("Tanh", {small}), made.real(cap)});
  }
  if (node.has(kAttentionBias)) scores = made.add("Add", {scores, made.in(kAttentionBias)});
  const std::string weights =
      softmax_with_sink(node, made, e, causally_masked(node, made, e, starts, scores));
  return of_heads(made.add("MatMul", {grouped(weights, e.total), v}), e.size);
}

}  // namespace

void expand_group_query_attention(Node& node) {
  const Extents e = group_extents(node);
  node.expansion_opset = 23;
  Expansion made(node);
  std::vector<std::string> all{made.in(kQueries), made.in(kNewKeys), made.in(kNewValues)};
  if (e.is_packed) {
    const int64_t of_keys = e.key_heads * e.size;
    all = made.add_many("Split", {all[0], made.integers({e.heads * e.size, of_keys, of_keys})}, 3,
                        {{"axis", int64_t{2}}});
  }
  for (size_t i = 0; i < 3; ++i) {
    const Dims parts{e.samples, e.tokens, i == 0 ? e.heads : e.key_heads, e.size};
    all[i] = made.add("Transpose", {made.add("Reshape", {all[i], made.integers(parts)})},
                      {{"perm", Dims{0, 2, 1, 3}}});
  }
  const Starts starts(node, made, e);
  if (node.integer("do_rotary", 0) != 0) {
    node.require(node.has(kCosines) && node.has(kSines) && node.dims(kCosines).size() == 2,
                 "cos_cache", node.has(kCosines) ? text(node.dims(kCosines)) : "absent",
                 "(positions, half of the rotated size), together with sin_cache");
    const std::string positions = starts.positions();
    for (size_t i = 0; i < 2; ++i)
      all[i] = made.add("RotaryEmbedding", {all[i], made.in(kCosines), made.in(kSines), positions},
                        {{"interleaved", node.integer("rotary_interleaved", 0)},
                         {"rotary_embedding_dim", 2 * node.dims(kCosines)[1]}});
  }
  const KeyCache cache(node, made, e, starts);
  const std::string keys = cache.stored(all[1], kCachedKeys, 1);
  const std::string values = cache.stored(all[2], kCachedValues, 2);
  const std::string y = attended(node, made, e, starts, all[0], keys, values);
  made.set(made.add("Reshape", {made.add("Transpose", {y}, {{"perm", Dims{0, 2, 1, 3}}}),
                                made.integers({e.samples, e.tokens, e.heads * e.size})}));
}

}  // namespace tputwin::net::onnx_reader
