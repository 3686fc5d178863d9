// Equalization of channel ranges across layers.
#include "bmnet/calibrate/equalize.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace tputwin::net {
namespace {

constexpr int kPasses = 10;
constexpr float kLargestFactor = 16;

struct Pair {
  const TensorOp* first;
  const TensorOp* second;
  int64_t channels;  // channels between the two layers
};

bool is_layer(const TensorOp& op) {
  if (is(op, Op::convolution))
    return !is_deconvolution(op) && !op.tg_convolution_param().do_activation();
  return is(op, Op::inner_product) && op.tg_inner_product_param().weight_transpose() &&
         !op.tg_inner_product_param().do_activation();
}

// Returns true if f(s*x) = s*f(x) for s > 0, channel by channel.
bool passes_factors(const TensorOp& op) {
  if (is(op, Op::reshape))
    return op.output_shape(0).dim_size() >= 2 && op.input_shape(0).dim_size() >= 2 &&
           op.output_shape(0).dim(0) == op.input_shape(0).dim(0) &&
           op.output_shape(0).dim(1) * op.output_shape(0).dim(0) == count(op.input_shape(0));
  return is_plain_relu(op) || is_leaky_relu(op) || is(op, Op::prelu) || is(op, Op::pooling);
}

// Returns the only reader of a tensor; nullptr if it has none or several.
const TensorOp* only_reader(const Network& network, const std::string& tensor) {
  const TensorOp* reader = nullptr;
  for (const TensorOp& op : network.ops) {
    const auto reads = std::ranges::count(op.bottom(), tensor);
    if (reads == 0) continue;
    if (reader != nullptr || reads > 1) return nullptr;
    reader = &op;
  }
  return reader;
}

using Names = std::set<std::string, std::less<>>;

Names tensors_of(const NetCalibrationParameter& table) {
  Names names;
  for (const LayerCalibrationParameter& entry : table.layer())
    for (const BlobParameter& blob : entry.blob_param()) names.insert(blob.name());
  return names;
}

std::vector<Pair> find_pairs(const Network& network, const Names& fixed) {
  std::vector<Pair> pairs;
  for (const TensorOp& first : network.ops) {
    if (!is_layer(first) || !network.blobs.contains(first.name())) continue;
    const TensorOp* next = only_reader(network, first.top(0));
    bool is_fixed = fixed.contains(first.top(0));
    while (next != nullptr && passes_factors(*next)) {
      is_fixed = is_fixed || fixed.contains(next->top(0));
      next = only_reader(network, next->top(0));
    }
    if (is_fixed || next == nullptr || !is_layer(*next) || !network.blobs.contains(next->name()))
      continue;
    pairs.push_back({&first, next, extents(first.output_shape(0)).c});
  }
  return pairs;
}

// Calls call(channel, values, size) for the weights that read each input channel, in memory order.
template <class Function>
void for_inputs(const TensorOp& op, Blob& weight, int64_t channels, const Function& call) {
  const bool is_matrix = is(op, Op::inner_product);
  const int64_t group = is_matrix ? 1 : op.tg_convolution_param().group();
  const int64_t rows =
      is_matrix ? op.tg_inner_product_param().num_output() : extents(op.output_shape(0)).c;
  const int64_t inputs = channels / group;
  const int64_t taps = static_cast<int64_t>(weight.data.size()) / (rows * inputs);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t i = 0; i < inputs; ++i)
      call(row / (rows / group) * inputs + i, &weight.data[(row * inputs + i) * taps], taps);
}

float largest(const float* values, int64_t size) {
  float result = 0;
  for (int64_t i = 0; i < size; ++i) result = std::max(result, std::fabs(values[i]));
  return result;
}

void scale(float* values, int64_t size, float factor) {
  for (int64_t i = 0; i < size; ++i) values[i] *= factor;
}

// Returns the largest weight that reads each channel.
std::vector<float> largest_read(const Pair& pair, Blob& weight) {
  std::vector<float> read(pair.channels, 0.0f);
  for_inputs(*pair.second, weight, pair.channels, [&](int64_t c, const float* values, int64_t n) {
    read[c] = std::max(read[c], largest(values, n));
  });
  return read;
}

void equalize_pair(Network& network, const Pair& pair, std::vector<float>& total) {
  std::vector<Blob>& first = network.blobs.find(pair.first->name())->second;
  std::vector<Blob>& second = network.blobs.find(pair.second->name())->second;
  const int64_t row = static_cast<int64_t>(first[0].data.size()) / pair.channels;
  const std::vector<float> read = largest_read(pair, second[0]);
  std::vector<float> factors(pair.channels, 1.0f);
  for (int64_t c = 0; c < pair.channels; ++c) {
    const float made = largest(&first[0].data[c * row], row);
    if (!(made > 0) || !(read[c] > 0)) continue;
    const float wanted =
        std::clamp(total[c] * std::sqrt(made / read[c]), 1 / kLargestFactor, kLargestFactor);
    factors[c] = wanted / total[c];
    total[c] = wanted;
    scale(&first[0].data[c * row], row, 1 / factors[c]);
    if (first.size() > 1) first[1].data[c] /= factors[c];
  }
  for_inputs(*pair.second, second[0], pair.channels,
             [&](int64_t c, float* values, int64_t n) { scale(values, n, factors[c]); });
}

}  // namespace

void equalize(Network& network, const NetCalibrationParameter& known) {
  const std::vector<Pair> pairs = find_pairs(network, tensors_of(known));
  std::vector<std::vector<float>> totals;
  for (const Pair& pair : pairs) totals.emplace_back(pair.channels, 1.0f);
  for (int pass = 0; pass < kPasses; ++pass)
    for (size_t i = 0; i < pairs.size(); ++i) equalize_pair(network, pairs[i], totals[i]);
}

}  // namespace tputwin::net
