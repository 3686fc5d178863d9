// Attention and rotary positions, of the products and functions that they consist of.
#include <fmt/format.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <numeric>
#include <optional>

#include "bmnet/onnx/reader/expansion.h"

namespace tputwin::net::onnx_reader {
namespace {

// Queries, keys or values as (batch, heads, length, size).
struct Heads {
  std::string tensor;
  Dims dims;
};

Heads heads_of(Node& node, Expansion& made, size_t input, const char* attribute) {
  const Dims& x = node.dims(input);
  if (x.size() == 4) return {made.in(input), x};
  const int64_t heads = node.integer(attribute, 0);
  node.require(x.size() == 3 && heads > 0 && x[2] % heads == 0, attribute, std::to_string(heads),
               "it divides the last axis of " + text(x));
  const Dims split{x[0], x[1], heads, x[2] / heads};
  const std::string parts = made.add("Reshape", {made.in(input), made.integers(split)});
  return {made.add("Transpose", {parts}, {{"perm", Dims{0, 2, 1, 3}}}),
          {split[0], split[2], split[1], split[3]}};
}

// Puts what earlier calls have stored before the new keys or values.
void add_past(Node& node, Expansion& made, Heads& heads, size_t past, size_t present) {
  if (node.has(past)) {
    heads.tensor = made.add("Concat", {made.in(past), heads.tensor}, {{"axis", int64_t{2}}});
    heads.dims[2] += node.dims(past)[2];
  }
  if (node.wants(present)) made.set(made.add("Identity", {heads.tensor}), present);
}

// Repeats each head of keys or values for the group of queries that share it.
void repeat_heads(Node& node, Expansion& made, Heads& heads, int64_t wanted) {
  const Dims& d = heads.dims;
  if (d[1] == wanted) return;
  node.require(d[1] > 0 && wanted % d[1] == 0, "kv_num_heads", std::to_string(d[1]),
               fmt::format("it divides the {} heads of the queries", wanted));
  const int64_t times = wanted / d[1];
  const std::string groups = made.add("Unsqueeze", {heads.tensor, made.integers({2})});
  const std::string repeated =
      made.add("Expand", {groups, made.integers({d[0], d[1], times, d[2], d[3]})});
  heads.tensor = made.add("Reshape", {repeated, made.integers({d[0], wanted, d[2], d[3]})});
  heads.dims[1] = wanted;
}

// The mask of an Attention. Queries without a key have no weights.
class Mask {
 public:
  Mask(Node& node, Expansion& made, int64_t queries, int64_t keys)
      : node_(node), made_(made), queries_(queries), keys_(keys) {
    if (node.integer("is_causal", 0) != 0) past_ = node.has(4) ? node.dims(4)[2] : 0;
    if (!node.has(3)) return;
    const Constant* mask = node.constant(3);
    is_boolean_ = mask != nullptr ? mask->type == onnx::TensorProto::BOOL
                                  : node.in(3).kind == ValueKind::boolean;
    node.require(node.dims(3).size() >= 2, "attn_mask", text(node.dims(3)),
                 "a value for each query and key");
    node.require(mask == nullptr || node.dims(3).back() == keys_, "attn_mask", text(node.dims(3)),
                 fmt::format("a value for each of {} keys", keys_));
  }

  // The scores, and minus infinity at keys that a query must not read.
  std::string masked(const std::string& scores) const {
    if (const auto all = constant()) return made_.add("Add", {scores, made_.reals(dims_, *all)});
    std::string sum = scores;
    if (node_.has(3) && is_boolean_)
      sum = made_.add("Where", {made_.in(3), sum, made_.real(-INFINITY)});
    if (past_) sum = made_.add("Add", {sum, causal(-INFINITY)});
    return node_.has(3) && !is_boolean_ ? made_.add("Add", {sum, made_.in(3)}) : sum;
  }

  // Returns masked() as an output: with the lowest float where ONNX Runtime has it.
  std::string shown(const std::string& scores) const {
    const Constant* mask = node_.constant(3);
    if (mask != nullptr) {
      const std::vector<float> all = combined(*mask, -FLT_MAX);
      return made_.add("Add", {scores, made_.reals(dims_, all)});
    }
    const std::string sum = past_ ? made_.add("Add", {scores, causal(-FLT_MAX)}) : scores;
    if (!node_.has(3)) return sum;
    if (!is_boolean_) return made_.add("Add", {sum, made_.in(3)});
    return made_.add("Where", {made_.in(3), sum, made_.real(-FLT_MAX)});
  }

  // The weights, or zeros for queries without a key.
  std::string cleared(const std::string& weights) const {
    if (!node_.has(3)) return weights;
    if (node_.constant(3) != nullptr) return cleared_rows(weights);
    std::string values = made_.in(3);
    if (past_ && is_boolean_) values = made_.add("Mul", {values, causal(0)});
    if (past_ && !is_boolean_) values = made_.add("Add", {values, causal(-FLT_MAX)});
    const std::string best = made_.add("ReduceMax", {values, made_.integers({-1})});
    return made_.keep(weights,
                      made_.add("Greater", {best, made_.real(is_boolean_ ? 0.5f : kMasked)}));
  }

 private:
  // ONNX Runtime reads no key whose mask is the lowest float. Models have no other scores of this
  // magnitude.
  static constexpr float kMasked = -1e38f;

  bool is_after(int64_t query, int64_t key) const { return past_ && key > query + *past_; }

  // Returns what is added for causality: 0 and `masked`; or the factors 1 and 0 if that is 0.
  std::string causal(float masked) const {
    std::vector<float> values;
    for (int64_t q = 0; q < queries_; ++q)
      for (int64_t k = 0; k < keys_; ++k)
        values.push_back(is_after(q, k) ? masked : masked == 0 ? 1.0f : 0.0f);
    return made_.reals({queries_, keys_}, values);
  }

  // All that is added, if it is known. Rows without a key are zeros here.
  std::optional<std::vector<float>> constant() const {
    const Constant* mask = node_.constant(3);
    if (mask == nullptr) return std::nullopt;
    std::vector<float> all = combined(*mask);
    for (auto row = all.begin(); row != all.end(); row += keys_)
      if (is_empty(row)) std::fill_n(row, keys_, 0.0f);
    return all;
  }

  template <class Row>
  bool is_empty(Row row) const {
    return std::all_of(row, row + keys_, [](float value) { return value <= kMasked; });
  }

  static std::vector<float> of_booleans(const Constant& mask, float masked) {
    std::vector<float> floats;
    for (const int64_t is_read : mask.integers) floats.push_back(is_read != 0 ? 0.0f : masked);
    return floats;
  }

  // The mask and causality together, with a row for each query if the mask is causal. `masked` is
  // added where a query must not read.
  std::vector<float> combined(const Constant& mask, float masked = -INFINITY) const {
    dims_ = mask.dims;
    const int64_t rows = mask.dims[mask.dims.size() - 2];
    if (past_) dims_[dims_.size() - 2] = std::max(rows, queries_);
    const int64_t result_rows = dims_[dims_.size() - 2];
    const int64_t blocks = elements(mask.dims) / std::max<int64_t>(1, rows * keys_);
    const std::vector<float> floats = is_boolean_ ? of_booleans(mask, masked) : mask.real();
    std::vector<float> values;
    for (int64_t i = 0; i < blocks; ++i)
      for (int64_t q = 0; q < result_rows; ++q)
        for (int64_t k = 0; k < keys_; ++k) {
          const auto at = static_cast<size_t>((i * rows + (rows == 1 ? 0 : q)) * keys_ + k);
          values.push_back(is_after(q, k) ? masked : floats[at]);
        }
    return values;
  }

  std::string cleared_rows(const std::string& weights) const {
    const std::vector<float> all = combined(*node_.constant(3));
    std::vector<float> kept;
    for (auto row = all.begin(); row != all.end(); row += keys_)
      kept.push_back(is_empty(row) ? 0.0f : 1.0f);
    if (std::ranges::find(kept, 0.0f) == kept.end()) return weights;
    Dims rows = dims_;
    rows.back() = 1;
    return made_.keep(weights, made_.reals(rows, kept));
  }

  Node& node_;
  Expansion& made_;
  const int64_t queries_, keys_;
  std::optional<int64_t> past_;  // keys before the queries, of a causal mask
  bool is_boolean_ = false;
  mutable Dims dims_;
};

}  // namespace

namespace {

std::string as_floats(Expansion& made, const std::string& x) {
  return made.add("Cast", {x}, {{"to", int64_t{onnx::TensorProto::FLOAT}}});
}

// Returns 0 where a tensor of 1 and 0 is 1, and the lowest float elsewhere.
std::string lowest_unless(Expansion& made, const std::string& counts) {
  return made.add("Mul", {made.add("Sub", {made.real(1), counts}), made.real(-FLT_MAX)});
}

// Returns for each query the number of keys that it may read: the length of its sample, or with
// is_causal as many less as queries follow it.
std::string readable_keys(Node& node, Expansion& made) {
  const int64_t samples = node.dims(1)[0], queries = node.dims()[node.dims().size() - 2];
  const std::string lengths =
      made.add("Reshape", {as_floats(made, made.in(6)), made.integers({samples, 1, 1, 1})});
  if (node.integer("is_causal", 0) == 0) return lengths;
  std::vector<float> steps(static_cast<size_t>(queries));
  std::iota(steps.begin(), steps.end(), static_cast<float>(1 - queries));
  return made.add("Add", {lengths, made.reals({1, 1, queries, 1}, steps)});
}

// Makes the lengths of keys and values, and causality, a part of the mask of another Attention.
void mask_padding(Node& node) {
  const Dims& keys = node.dims(1);
  const int64_t length = keys[keys.size() - 2], samples = keys[0];
  node.require(!node.has(4) && elements(node.dims(6)) == samples, "nonpad_kv_seqlen",
               text(node.dims(6)), "a length for each sample, and no past_key");
  node.expansion_opset = 23;
  Expansion made(node);
  std::vector<float> all(static_cast<size_t>(length));
  std::iota(all.begin(), all.end(), 0.0f);
  const std::string positions = made.reals({1, 1, 1, length}, all);
  std::string counts = as_floats(made, made.add("Less", {positions, readable_keys(node, made)}));
  const Constant* own = node.constant(3);
  const bool is_boolean = node.has(3) && (own != nullptr ? own->type == onnx::TensorProto::BOOL
                                                         : node.in(3).kind == ValueKind::boolean);
  if (is_boolean) counts = made.add("Mul", {counts, as_floats(made, made.in(3))});
  std::string mask = lowest_unless(made, counts);
  if (node.has(3) && !is_boolean) mask = made.add("Add", {made.in(3), mask});
  const auto results =
      made.add_many("Attention", {made.in(0), made.in(1), made.in(2), mask}, node.wants(3) ? 4 : 1);
  for (const char* name : {"kv_num_heads", "q_num_heads", "qk_matmul_output_mode", "scale",
                           "softcap", "softmax_precision"})
    made.copy_attribute(name);
  if (node.wants(3)) made.set(results[3], 3);
  made.set(results[0]);
}

// The scores at the steps of which qk_matmul_output_mode names one.
struct Scores {
  std::string raw, capped, weights;
};

void set_scores(Node& node, Expansion& made, const Mask& mask, const Scores& scores) {
  if (!node.wants(3)) return;
  const int64_t mode = node.integer("qk_matmul_output_mode", 0);
  node.require(mode >= 0 && mode <= 3, "qk_matmul_output_mode", std::to_string(mode), "0 to 3");
  const std::string shown = mode == 0   ? scores.raw
                            : mode == 1 ? scores.capped
                            : mode == 2 ? mask.shown(scores.capped)
                                        : scores.weights;
  made.set(made.add("Identity", {shown}), 3);
}

}  // namespace

// softmax(Q K^T * scale + mask) V
void expand_attention(Node& node) {
  if (node.has(6)) return mask_padding(node);
  Expansion made(node);
  const Heads q = heads_of(node, made, 0, "q_num_heads");
  Heads k = heads_of(node, made, 1, "kv_num_heads"), v = heads_of(node, made, 2, "kv_num_heads");
  node.require(node.has(4) == node.has(5), "past_key", "alone", "together with past_value");
  add_past(node, made, k, 4, 1);
  add_past(node, made, v, 5, 2);
  repeat_heads(node, made, k, q.dims[1]);
  repeat_heads(node, made, v, q.dims[1]);
  const float scale = node.real("scale", 1 / std::sqrt(static_cast<float>(q.dims[3])));
  const std::string scaled = made.add("Mul", {q.tensor, made.real(scale)});
  const std::string transposed_keys =
      made.add("Transpose", {k.tensor}, {{"perm", Dims{0, 1, 3, 2}}});
  Scores scores{.raw = made.add("MatMul", {scaled, transposed_keys}), .capped = {}, .weights = {}};
  scores.capped = scores.raw;
  const float cap = node.real("softcap", 0);
  if (cap != 0) {
    const std::string small = made.add("Mul", {scores.raw, made.real(1 / cap)});
    scores.capped = made.add("Mul", {made.add("Tanh", {small}), made.real(cap)});
  }
  const Mask mask(node, made, q.dims[2], k.dims[2]);
  scores.weights =
      mask.cleared(made.add("Softmax", {mask.masked(scores.capped)}, {{"axis", int64_t{-1}}}));
  set_scores(node, made, mask, scores);
  const std::string y = made.add("MatMul", {scores.weights, v.tensor});
  if (node.dims().size() == 4) return made.set(y);
  const std::string rows = made.add("Transpose", {y}, {{"perm", Dims{0, 2, 1, 3}}});
  made.set(
      made.add("Reshape", {rows, made.integers({q.dims[0], q.dims[2], q.dims[1] * v.dims[3]})}));
}

namespace {

// cos or sin as (batch or 1, 1, length, half of the rotated size).
std::string table(Node& node, Expansion& made, size_t input) {
  std::string values = made.in(input);
  if (node.has(3)) values = made.add("Gather", {values, made.in(3)}, {{"axis", int64_t{0}}});
  return made.add("Unsqueeze", {values, made.integers({1})});
}

std::string slice(Expansion& made, const std::string& x, int64_t begin, int64_t end,
                  int64_t step = 1) {
  return made.add("Slice", {x, made.integers({begin}), made.integers({end}), made.integers({3}),
                            made.integers({step})});
}

// Interleaves the elements of two tensors: a0, b0, a1, b1, ...
std::string interleaved(Expansion& made, const std::string& a, const std::string& b, Dims dims) {
  const std::string last = made.integers({4});
  const std::string both =
      made.add("Concat", {made.add("Unsqueeze", {a, last}), made.add("Unsqueeze", {b, last})},
               {{"axis", int64_t{4}}});
  dims[3] *= 2;
  return made.add("Reshape", {both, made.integers(dims)});
}

}  // namespace

// Rotates pairs of elements: (a, b) becomes (a cos - b sin, a sin + b cos).
void expand_rotary_embedding(Node& node) {
  Expansion made(node);
  const Heads x = heads_of(node, made, 0, "num_heads");
  const int64_t given = node.integer("rotary_embedding_dim", 0);
  const int64_t rotated = given == 0 ? x.dims[3] : given, half = rotated / 2;
  node.require(rotated > 0 && rotated % 2 == 0 && rotated <= x.dims[3], "rotary_embedding_dim",
               std::to_string(rotated), "even, and at most the size of a head");
  const bool pairs = node.integer("interleaved", 0) != 0;
  const std::string a =
      pairs ? slice(made, x.tensor, 0, rotated, 2) : slice(made, x.tensor, 0, half);
  const std::string b =
      pairs ? slice(made, x.tensor, 1, rotated, 2) : slice(made, x.tensor, half, rotated);
  const std::string cos = table(node, made, 1), sin = table(node, made, 2);
  const std::string real = made.add("Sub", {made.add("Mul", {a, cos}), made.add("Mul", {b, sin})});
  const std::string imaginary =
      made.add("Add", {made.add("Mul", {a, sin}), made.add("Mul", {b, cos})});
  Dims of_half = x.dims;
  of_half[3] = half;
  std::string y = pairs ? interleaved(made, real, imaginary, of_half)
                        : made.add("Concat", {real, imaginary}, {{"axis", int64_t{3}}});
  if (rotated < x.dims[3])
    y = made.add("Concat", {y, slice(made, x.tensor, rotated, x.dims[3])}, {{"axis", int64_t{3}}});
  if (node.dims().size() == 4) return made.set(y);
  const std::string rows = made.add("Transpose", {y}, {{"perm", Dims{0, 2, 1, 3}}});
  made.set(made.add("Reshape", {rows, made.integers(node.dims())}));
}

}  // namespace tputwin::net::onnx_reader
