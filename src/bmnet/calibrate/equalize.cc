// Ranges of channels made equal across layers.
#include "bmnet/calibrate/equalize.h"

#include <algorithm>
#include <cmath>

namespace tputwin::net {
namespace {

constexpr int kPasses = 10;
constexpr float kLargestFactor = 16;

struct Pair {
  const TensorOp* first;
  const TensorOp* second;
  int64_t channels;  // between them
};

bool is_layer(const TensorOp& op) {
  if (is(op, Op::convolution))
    return !is_deconvolution(op) && !op.tg_convolution_param().do_activation();
  return is(op, Op::inner_product) && op.tg_inner_product_param().weight_transpose() &&
         !op.tg_inner_product_param().do_activation();
}

// f(s*x) = s*f(x) for s > 0, channel by channel.
bool passes_factors(const TensorOp& op) {
  if (is(op, Op::reshape))
    return op.output_shape(0).dim_size() >= 2 && op.input_shape(0).dim_size() >= 2 &&
           op.output_shape(0).dim(0) == op.input_shape(0).dim(0) &&
           op.output_shape(0).dim(1) * op.output_shape(0).dim(0) == count(op.input_shape(0));
  return is_plain_relu(op) || is_leaky_relu(op) || is(op, Op::prelu) || is(op, Op::pooling);
}

// The one op that reads a tensor; nullptr if there are none or several.
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

std::vector<Pair> find_pairs(const Network& network) {
  std::vector<Pair> pairs;
  for (const TensorOp& first : network.ops) {
    if (!is_layer(first) || !network.blobs.contains(first.name())) continue;
    const TensorOp* next = only_reader(network, first.top(0));
    while (next != nullptr && passes_factors(*next)) next = only_reader(network, next->top(0));
    if (next == nullptr || !is_layer(*next) || !network.blobs.contains(next->name())) continue;
    pairs.push_back({&first, next, extents(first.output_shape(0)).c});
  }
  return pairs;
}

// Weights that read input channel `channel`: call(range of values).
template <class Function>
void for_inputs(const TensorOp& op, Blob& weight, int64_t channels, int64_t channel,
                const Function& call) {
  if (is(op, Op::inner_product)) {
    const int64_t rows = op.tg_inner_product_param().num_output();
    const int64_t length = static_cast<int64_t>(weight.data.size()) / rows;
    const int64_t inner = length / channels;
    for (int64_t row = 0; row < rows; ++row)
      call(&weight.data[row * length + channel * inner], inner);
    return;
  }
  const int64_t group = op.tg_convolution_param().group();
  const int64_t outputs = extents(op.output_shape(0)).c / group, inputs = channels / group;
  const int64_t taps = static_cast<int64_t>(weight.data.size()) / (outputs * group * inputs);
  const int64_t g = channel / inputs;
  for (int64_t o = g * outputs; o < (g + 1) * outputs; ++o)
    call(&weight.data[(o * inputs + channel % inputs) * taps], taps);
}

float largest(const float* values, int64_t size) {
  float result = 0;
  for (int64_t i = 0; i < size; ++i) result = std::max(result, std::fabs(values[i]));
  return result;
}

void scale(float* values, int64_t size, float factor) {
  for (int64_t i = 0; i < size; ++i) values[i] *= factor;
}

void equalize_pair(Network& network, const Pair& pair, std::vector<float>& total) {
  std::vector<Blob>& first = network.blobs.find(pair.first->name())->second;
  std::vector<Blob>& second = network.blobs.find(pair.second->name())->second;
  const int64_t row = static_cast<int64_t>(first[0].data.size()) / pair.channels;
  for (int64_t c = 0; c < pair.channels; ++c) {
    const float made = largest(&first[0].data[c * row], row);
    float read = 0;
    for_inputs(*pair.second, second[0], pair.channels, c, [&](const float* values, int64_t size) {
      read = std::max(read, largest(values, size));
    });
    if (!(made > 0) || !(read > 0)) continue;
    const float wanted =
        std::clamp(total[c] * std::sqrt(made / read), 1 / kLargestFactor, kLargestFactor);
    const float factor = wanted / total[c];
    total[c] = wanted;
    scale(&first[0].data[c * row], row, 1 / factor);
    if (first.size() > 1) first[1].data[c] /= factor;
    for_inputs(*pair.second, second[0], pair.channels, c,
               [&](float* values, int64_t size) { scale(values, size, factor); });
  }
}

}  // namespace

void equalize(Network& network) {
  const std::vector<Pair> pairs = find_pairs(network);
  std::vector<std::vector<float>> totals;
  for (const Pair& pair : pairs) totals.emplace_back(pair.channels, 1.0f);
  for (int pass = 0; pass < kPasses; ++pass)
    for (size_t i = 0; i < pairs.size(); ++i) equalize_pair(network, pairs[i], totals[i]);
}

}  // namespace tputwin::net
