// Adjustment of thresholds of single tensors to the needs of layers.
#include "bmnet/calibrate/shared_thresholds.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bmnet/integers/rules.h"

namespace tputwin::net {
namespace {

// A byte cannot hold 128, and rounding may add up to 0.5.
constexpr float kLargestWeight = 127;

void forward(const Network& network, const LeftLayers& left, TensorThresholds& thresholds) {
  for (const TensorOp& op : network.ops)
    if (keeps_threshold(op) && !left.contains(op.name()))
      for (const std::string& top : op.top()) thresholds[top] = thresholds[op.bottom(0)];
}

// Groups of tensors that share one threshold: ReLU and moves compute the others from the first.
class Groups {
 public:
  explicit Groups(const Network& network) {
    for (const TensorOp& op : network.ops) {
      if (keeps_threshold(op))
        for (const std::string& top : op.top()) first_of_[top] = first(op.bottom(0));
      else
        for (const std::string& bottom : op.bottom()) readers_[first(bottom)].push_back(&op);
    }
  }
  // Returns the first tensor of the group.
  const std::string& first(const std::string& tensor) const {
    const auto found = first_of_.find(tensor);
    return found == first_of_.end() ? tensor : found->second;
  }
  // Returns true if `reader` is the only reader of the group, except for ReLU and moves inside it.
  bool is_read_by_only(const std::string& tensor, const TensorOp& reader) const {
    const auto found = readers_.find(first(tensor));
    return found != readers_.end() &&
           std::ranges::all_of(found->second, [&](const TensorOp* op) { return op == &reader; });
  }

 private:
  std::map<std::string, std::string> first_of_;
  std::map<std::string, std::vector<const TensorOp*>> readers_;
};

// Goes through the ops from the last to the first. A concatenation gives its threshold to inputs
// without other readers. Other inputs keep theirs, because their readers would lose steps; the
// concatenation rescales them.
void backward(const Network& network, const KeptInputs& kept, TensorThresholds& thresholds) {
  const Groups groups(network);
  std::map<std::string, float> given;  // keyed by the first tensor of a group
  const auto now = [&](const std::string& tensor) {
    const auto found = given.find(groups.first(tensor));
    return found == given.end() ? thresholds.at(tensor) : found->second;
  };
  for (auto op = network.ops.rbegin(); op != network.ops.rend(); ++op) {
    if (!is(*op, Op::concat) || kept.contains(op->name())) continue;
    for (const std::string& bottom : op->bottom())
      if (groups.is_read_by_only(bottom, *op)) given[groups.first(bottom)] = now(op->top(0));
  }
  for (auto& [tensor, threshold] : thresholds) threshold = now(tensor);
}

// Returns the largest factor that a layer multiplies its inputs with. Its multipliers exist only if
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
  return std::min(factor * widest / kLargestWeight, std::numeric_limits<float>::max());
}

void raise(const Network& network, const LeftLayers& left, TensorThresholds& thresholds) {
  for (const TensorOp& op : network.ops) {
    if (left.contains(op.name())) continue;
    if (keeps_threshold(op)) {
      for (const std::string& top : op.top()) thresholds[top] = thresholds[op.bottom(0)];
    } else if (!is(op, Op::start) && op.top_size() > 0) {
      float& threshold = thresholds[op.top(0)];
      threshold = std::max(threshold, least_threshold(network, op, thresholds));
    }
  }
}

}  // namespace

void share_thresholds(const Network& network, TensorThresholds& thresholds, const KeptInputs& kept,
                      const LeftLayers& left, bool limits_multipliers) {
  forward(network, left, thresholds);
  backward(network, kept, thresholds);
  if (limits_multipliers) raise(network, left, thresholds);
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
