// Masks of the attention of ONNX Runtime: integers that say which keys count.
#include <fmt/format.h>

#include <numeric>

#include "bmnet/onnx/reader/operators/microsoft/microsoft.h"

namespace tputwin::net::onnx_reader {
namespace {

std::string as_floats(Expansion& made, const std::string& x) {
  return made.add("Cast", {x}, {{"to", int64_t{onnx::TensorProto::FLOAT}}});
}

// Returns 1 for the keys before the end of each sample, and from its start on, if it has one.
std::string within_ends(Expansion& made, const std::string& ends, int64_t samples, int64_t length,
                        bool has_starts) {
  std::vector<float> all(static_cast<size_t>(length));
  std::iota(all.begin(), all.end(), 0.0f);
  const std::string positions = made.reals({1, length}, all);
  const auto column = [&](int64_t begin) {
    const std::string part =
        made.add("Slice", {ends, made.integers({begin}), made.integers({begin + samples})});
    return made.add("Reshape", {part, made.integers({samples, 1})});
  };
  const std::string before = as_floats(made, made.add("Less", {positions, column(0)}));
  if (!has_starts) return before;
  const std::string behind =
      as_floats(made, made.add("GreaterOrEqual", {positions, column(samples)}));
  return made.add("Mul", {before, behind});
}

}  // namespace

std::string mask_bias(Expansion& made, const Node& node, size_t input, int64_t length) {
  const Dims& mask = node.dims(input);
  const int64_t samples = node.dims()[0];
  const bool has_ends = mask.size() == 1 && (mask[0] == samples || mask[0] == 2 * samples);
  const bool has_keys = (mask.size() == 2 || mask.size() == 3) && mask[0] == samples;
  node.require(has_ends || (has_keys && mask.back() == length), "mask", text(mask),
               fmt::format("the lengths of {} samples, or (samples, keys) or (samples, queries, "
                           "keys) of {} keys",
                           samples, length));
  const std::string given = as_floats(made, made.in(input));
  const std::string counts = has_ends
                                 ? within_ends(made, given, samples, length, mask[0] != samples)
                                 : as_floats(made, made.add("Greater", {given, made.real(0)}));
  const float masked = node.real("mask_filter_value", -10000);
  const std::string bias =
      made.add("Mul", {made.add("Sub", {made.real(1), counts}), made.real(masked)});
  const int64_t queries = mask.size() == 3 ? mask[1] : 1;
  return made.add("Reshape", {bias, made.integers({samples, 1, queries, length})});
}

std::string attention_bias(Expansion& made, const Node& node, size_t mask, size_t bias,
                           int64_t length) {
  if (!node.has(mask)) return made.in(bias);
  const std::string of_mask = mask_bias(made, node, mask, length);
  return node.has(bias) ? made.add("Add", {made.in(bias), of_mask}) : of_mask;
}

}  // namespace tputwin::net::onnx_reader
