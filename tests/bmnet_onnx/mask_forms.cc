// Nets that compute a mask from an input and join scores with it.
#include "bmnet_onnx/mask_forms.h"

#include <cfloat>

namespace tputwin::test::mask_forms {
namespace {

using Dims = std::vector<int64_t>;
constexpr int64_t kHeads = 2, kTokens = 6, kSize = 8;

// Adds the scores s of shape (1, heads, tokens, tokens).
void add_scores(ModelBuilder& builder, Source source) {
  builder.input("q", {1, kHeads, kTokens, kSize});
  if (source == Source::product) {
    builder.input("k", {1, kHeads, kSize, kTokens});
    builder.node("MatMul", {"q", "k"}, {"s"});
    return;
  }
  constexpr int64_t kTaps = kSize - kTokens + 1;
  builder.weights("w", {kHeads, kHeads, 1, kTaps},
                  random_values(kHeads * kHeads * kTaps, 5, -2, 2));
  builder.node("Conv", {"q", "w"}, {"s"});
}

void add_constants(ModelBuilder& builder, float masked) {
  builder.weights("one", {}, {1});
  builder.weights("two", {}, {2});
  builder.weights("zero", {}, {0});
  builder.weights("masked", {}, {masked});
  builder.weights("positive", {}, {-masked});
  builder.weights("lowest", {}, {-FLT_MAX});
  builder.integers("axes", {2}, {1, 2});
  builder.integers("shape", {4}, {1, 1, 1, kTokens});
  builder.integers("all", {4}, {1, 1, kTokens, kTokens});
}

// (1 - m) * factor for each score.
void inverted(ModelBuilder& b, const char* factor) {
  b.node("Unsqueeze", {"m", "axes"}, {"wide"});
  b.node("Sub", {"one", "wide"}, {"inverted"});
  b.node("Mul", {"inverted", factor}, {"mask"});
}

void compared(ModelBuilder& b) {
  b.node("Unsqueeze", {"m", "axes"}, {"wide"});
  b.node("Greater", {"wide", "zero"}, {"is_kept"});
}

void bert(ModelBuilder& b) {
  inverted(b, "masked");
  b.node("Add", {"s", "mask"}, {"t"});
}

void mask_first(ModelBuilder& b) {
  inverted(b, "masked");
  b.node("Add", {"mask", "s"}, {"t"});
}

void subtracted(ModelBuilder& b) {
  inverted(b, "positive");
  b.node("Sub", {"s", "mask"}, {"t"});
}

void scores_times_mask(ModelBuilder& b) {
  inverted(b, "positive");
  b.node("Mul", {"s", "wide"}, {"kept"});
  b.node("Sub", {"kept", "mask"}, {"t"});
}

void minimum(ModelBuilder& b) {
  inverted(b, "masked");
  b.node("Min", {"s", "mask"}, {"least"});
  b.node("Add", {"least", "s"}, {"t"});
}

void then_divided(ModelBuilder& b) {
  inverted(b, "masked");
  b.node("Add", {"s", "mask"}, {"u"});
  b.node("Div", {"u", "two"}, {"t"});
}

void then_clipped(ModelBuilder& b) {
  inverted(b, "masked");
  b.node("Add", {"s", "mask"}, {"u"});
  b.node("Clip", {"u", "lowest"}, {"v"});
  b.node("Max", {"v", "lowest"}, {"t"});
}

void where(ModelBuilder& b) {
  compared(b);
  b.node("Where", {"is_kept", "s", "masked"}, {"t"});
}

void where_zero(ModelBuilder& b) {
  compared(b);
  b.node("Where", {"is_kept", "zero", "masked"}, {"mask"});
  b.node("Add", {"s", "mask"}, {"t"});
}

void expanded(ModelBuilder& b) {
  b.node("Reshape", {"m", "shape"}, {"wide"});
  b.node("Expand", {"wide", "all"}, {"square"});
  b.node("Sub", {"one", "square"}, {"inverted"});
  b.node("Mul", {"inverted", "masked"}, {"mask"});
  b.node("Add", {"s", "mask"}, {"t"});
}

// The TPU reads the input, too.
void read_twice(ModelBuilder& b) {
  bert(b);
  b.node("Tanh", {"m"}, {"z"});
  b.output("z");
}

void added(ModelBuilder& b) {
  b.node("Unsqueeze", {"m", "axes"}, {"mask"});
  b.node("Add", {"s", "mask"}, {"t"});
}

void added_then_divided(ModelBuilder& b) {
  b.node("Unsqueeze", {"m", "axes"}, {"mask"});
  b.node("Add", {"s", "mask"}, {"u"});
  b.node("Div", {"u", "two"}, {"t"});
}

void added_reshaped(ModelBuilder& b) {
  b.node("Reshape", {"m", "shape"}, {"wide"});
  b.node("Expand", {"wide", "all"}, {"square"});
  b.node("Add", {"square", "s"}, {"t"});
}

void least_of_both(ModelBuilder& b) {
  b.node("Unsqueeze", {"m", "axes"}, {"mask"});
  b.node("Min", {"s", "mask"}, {"t"});
}

Batches scores_of(Source source, size_t count) {
  Batches batches(count);
  constexpr size_t kCount = kHeads * kTokens * kSize;
  for (size_t i = 0; i < count; ++i) {
    batches[i]["q"] = {{1, kHeads, kTokens, kSize}, random_values(kCount, i, -2, 2)};
    if (source == Source::product)
      batches[i]["k"] = {{1, kHeads, kSize, kTokens}, random_values(kCount, i + 50, -2, 2)};
  }
  return batches;
}

Batches samples_of(Source source, size_t count, float kept, float masked) {
  Batches batches = scores_of(source, count);
  for (size_t i = 0; i < count; ++i) {
    std::vector<float> mask(kTokens, kept);
    for (size_t t = kTokens - 1 - i; t < kTokens; ++t) mask[t] = masked;
    batches[i]["m"] = {{1, kTokens}, mask};
  }
  return batches;
}

}  // namespace

const std::vector<Form>& forms() {
  static const std::vector<Form> all{{"bert", bert},
                                     {"mask first", mask_first},
                                     {"subtracted", subtracted},
                                     {"scores times mask", scores_times_mask},
                                     {"minimum", minimum},
                                     {"then divided", then_divided},
                                     {"then clipped", then_clipped},
                                     {"where", where},
                                     {"where zero", where_zero},
                                     {"expanded", expanded},
                                     {"read twice", read_twice}};
  return all;
}

const std::vector<Form>& added_forms() {
  static const std::vector<Form> all{{"added", added},
                                     {"added, then divided", added_then_divided},
                                     {"added, reshaped", added_reshaped},
                                     {"least of both", least_of_both}};
  return all;
}

ModelBuilder net(const Form& form, Source source, float masked,
                 const std::vector<std::string>& ends) {
  ModelBuilder builder(13);
  add_scores(builder, source);
  builder.input("m", {1, kTokens});
  add_constants(builder, masked);
  form.add(builder);
  std::string tensor = "t";
  for (const std::string& end : ends) {
    const std::string next = tensor + "'";
    auto& node = builder.node(end, {tensor}, {next});
    if (end == "Softmax" || end == "LogSoftmax") ModelBuilder::set(node, "axis", int64_t{-1});
    if (end == "MaxPool") ModelBuilder::set(node, "kernel_shape", Dims{1, 3});
    if (end == "ReduceMax") ModelBuilder::set(node, "axes", Dims{-1});
    if (end == "ArgMax") ModelBuilder::set(node, "axis", int64_t{-1});
    tensor = next;
  }
  builder.output(tensor);
  return builder;
}

Batches samples(Source source, size_t count) { return samples_of(source, count, 1, 0); }
Batches samples(Source source, size_t count, float masked) {
  return samples_of(source, count, 0, masked);
}

const std::vector<std::vector<std::string>>& other_ends() {
  static const std::vector<std::vector<std::string>> all{
      {"ReduceMax"}, {"MaxPool", "ReduceMax"}, {"Sigmoid"},
      {"Relu"},      {"Tanh", "Neg"},          {"Max", "Relu"},
      {"Exp"},       {"GlobalMaxPool"},        {"Relu", "Sqrt"},
      {"ArgMax"},    {"Softplus", "Sqrt"},     {"LogSoftmax", "Exp"}};
  return all;
}

}  // namespace tputwin::test::mask_forms
