// Thresholds of single tensors to thresholds that layers can work with.
#include "bmnet/calibrate/shared_thresholds.h"

#include <algorithm>
#include <cmath>

#include "bmnet/integers/rules.h"

namespace tputwin::net {
namespace {

// Less than the 128 that a byte cannot hold: rounding may add up to a half.
constexpr float kLargestWeight = 127;

void forward(const Network& network, TensorThresholds& thresholds) {
  for (const TensorOp& op : network.ops)
    if (keeps_threshold(op))
      for (const std::string& top : op.top()) thresholds[top] = thresholds[op.bottom(0)];
}

void backward(const Network& network, TensorThresholds& thresholds) {
  for (auto op = network.ops.rbegin(); op != network.ops.rend(); ++op) {
    if (is(*op, Op::concat))
      for (const std::string& bottom : op->bottom()) thresholds[bottom] = thresholds[op->top(0)];
    // Several slices of one tensor: the largest of their thresholds becomes the tensor's.
    if (keeps_threshold(*op)) {
      float widest = 0;
      for (const std::string& top : op->top()) widest = std::max(widest, thresholds[top]);
      thresholds[op->bottom(0)] = widest;
    }
  }
}

// The largest number that a layer multiplies its inputs with; its multipliers exist only if
// T_y >= factor * T_x / 127.
float largest_factor(const Network& network, const TensorOp& op) {
  const auto blobs = network.blobs.find(op.name());
  const float weight = blobs == network.blobs.end() || blobs->second.empty()
                           ? 0
                           : largest_magnitude(blobs->second[0].data);
  if (has_trait(op, trait::weighted)) return weight;
  if (is(op, Op::prelu)) return std::max(1.0f, weight);
  if (is_leaky_relu(op))
    return std::max(1.0f, std::fabs(op.tg_activation_param().activation_arg(0)));
  if (is(op, Op::eltwise)) {
    float largest = 1;
    for (const float c : op.tg_eltwise_param().coeff()) largest = std::max(largest, std::fabs(c));
    return largest;
  }
  return is(op, Op::pooling) || is(op, Op::concat) ? 1.0f : 0.0f;
}

float least_threshold(const Network& network, const TensorOp& op,
                      const TensorThresholds& thresholds) {
  const float factor = largest_factor(network, op);
  float widest = 0, product = 1;
  for (const std::string& bottom : op.bottom()) {
    widest = std::max(widest, thresholds.at(bottom));
    product *= thresholds.at(bottom);
  }
  const bool multiplies =
      is(op, Op::eltwise) && op.tg_eltwise_param().operation() == ::bmnet::TGEltwiseParameter::PROD;
  if (multiplies) widest = product / 128;
  return factor * widest / kLargestWeight;
}

void raise(const Network& network, TensorThresholds& thresholds) {
  for (const TensorOp& op : network.ops) {
    if (keeps_threshold(op)) {
      for (const std::string& top : op.top()) thresholds[top] = thresholds[op.bottom(0)];
    } else if (!is(op, Op::start) && op.top_size() > 0) {
      float& threshold = thresholds[op.top(0)];
      threshold = std::max(threshold, least_threshold(network, op, thresholds));
    }
  }
}

}  // namespace

void share_thresholds(const Network& network, TensorThresholds& thresholds) {
  forward(network, thresholds);
  backward(network, thresholds);
  raise(network, thresholds);
}

bool feeds_relu_only(const Network& network, const std::string& tensor) {
  bool found = false;
  for (const TensorOp& op : network.ops)
    if (std::ranges::find(op.bottom(), tensor) != op.bottom().end()) {
      if (!is_plain_relu(op)) return false;
      found = true;
    }
  return found;
}

}  // namespace tputwin::net
