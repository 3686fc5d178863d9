// Layers that compute masks and what masks are added to.
#include "bmnet/calibrate/masks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "bmnet/integers/rules.h"

namespace tputwin::net {
namespace {

// A sum is wide if its magnitude is at least kWide, and kLost times that of an operand. The operand
// then has less than one of 128 steps.
constexpr float kWide = 1000, kLost = 256;
// The host computes the scores of a Softmax in floats if their magnitude reaches kWideScores, a
// step of 1/2. For scores with a mask that the Softmax adds, 1/8 of a step is enough.
constexpr float kWideScores = 64, kWideMask = 16;

// Returns true if each element of the result depends on elements at one position of the operands.
bool is_pointwise(const TensorOp& op) {
  if (has_trait(op, trait::moves_elements)) return true;
  switch (properties(op.type()).op) {
    case Op::activation:
    case Op::prelu:
    case Op::power:
    case Op::clip:
    case Op::function:
    case Op::eltwise:
    case Op::scale:
    case Op::arithmetic:
      return true;
    default:
      return false;
  }
}

// Returns true if results may be as large as inputs, and of the same kind.
bool keeps_range(const TensorOp& op) {
  return is_pointwise(op) || is(op, Op::pooling) || properties(op.type()).runs_on == RunsOn::host;
}

class MaskSearch {
 public:
  MaskSearch(const Network& network, const TensorRanges& ranges)
      : network_(network), ranges_(ranges) {
    for (size_t i = 0; i < network.ops.size(); ++i) {
      for (const std::string& top : network.ops[i].top()) producers_[top] = i;
      for (const std::string& bottom : network.ops[i].bottom()) readers_[bottom].push_back(i);
    }
  }

  std::set<std::string> run() {
    for (const TensorOp& op : network_.ops) {
      if (is(op, Op::softmax)) softmax(op);
      if (is(op, Op::softmax) && magnitude(op.top(0)) >= kWide) wide(op.top(0));  // its logarithm
      if (is_wide_sum(op)) wide(op.top(0));
    }
    return std::move(found_);
  }

 private:
  float magnitude(const std::string& tensor) const {
    const TensorRange& range = ranges_.at(tensor);
    return range.has_infinite ? std::numeric_limits<float>::infinity() : range.magnitude(false);
  }

  // ---- Sums ----

  // Returns the largest constant that the layer adds, and 0 if it adds none.
  float constant_of(const TensorOp& op) const {
    if (is(op, Op::power)) return std::fabs(op.tg_power_param().shift());
    const auto blobs = network_.blobs.find(op.name());
    if (blobs == network_.blobs.end()) return 0;
    if (is(op, Op::scale) && blobs->second.size() > 1)
      return largest_magnitude(blobs->second[1].data);
    if (is(op, Op::arithmetic)) return largest_magnitude(blobs->second[0].data);
    return 0;
  }

  // Returns the largest factor of the values of operand `index` in the result.
  float factor_of(const TensorOp& op, int index) const {
    if (is(op, Op::power)) return std::fabs(op.tg_power_param().scale());
    if (is(op, Op::scale)) return largest_magnitude(network_.blobs.at(op.name())[0].data);
    const auto& coefficients = op.tg_eltwise_param().coeff();
    if (is(op, Op::eltwise) && index < coefficients.size()) return std::fabs(coefficients[index]);
    return 1;
  }

  static bool adds_or_chooses(const TensorOp& op) {
    using Arithmetic = ::bmnet::TGArithmeticParameter;
    if (is(op, Op::power)) return op.tg_power_param().power() == 1;
    if (is(op, Op::eltwise))
      return op.tg_eltwise_param().operation() != ::bmnet::TGEltwiseParameter::PROD;
    if (is(op, Op::arithmetic))
      return op.tg_arithmetic_param().operation() == Arithmetic::ADD ||
             op.tg_arithmetic_param().operation() == Arithmetic::SUB ||
             op.tg_arithmetic_param().operation() == Arithmetic::MAX ||
             op.tg_arithmetic_param().operation() == Arithmetic::MIN;
    return is(op, Op::scale);
  }

  // Returns true if an operand is so much smaller than the result that bytes would lose it.
  bool is_wide_sum(const TensorOp& op) const {
    if (!adds_or_chooses(op)) return false;
    const float result = magnitude(op.top(0));
    if (!(result >= kWide)) return false;
    if (op.bottom_size() == 1 && !(constant_of(op) * 2 >= result)) return false;
    for (int i = 0; i < op.bottom_size(); ++i) {
      const float operand = magnitude(op.bottom(i)) * factor_of(op, i);
      if (operand > 0 && operand * kLost <= result) return true;
    }
    return false;
  }

  // ---- Layers around them ----

  void leave(const TensorOp& op) {
    // Moves follow their neighbours (integers/float_tensors.h).
    if (can_leave_to_host(op) && !has_trait(op, trait::moves_elements)) found_.insert(op.name());
  }

  // Leaves the pointwise layers that make the tensor.
  void leave_producers(const std::string& tensor) {
    const auto found = producers_.find(tensor);
    if (found == producers_.end() || !seen_.insert(tensor).second) return;
    const TensorOp& op = network_.ops[found->second];
    if (!is_pointwise(op)) return;
    leave(op);
    for (const std::string& bottom : op.bottom()) leave_producers(bottom);
  }

  // Returns true if a tensor of the pointwise layers that make this one has such a magnitude.
  bool reaches(const std::string& tensor, float least, std::set<std::string>& visited) const {
    if (!visited.insert(tensor).second) return false;
    if (magnitude(tensor) >= least) return true;
    const TensorOp& op = network_.ops[producers_.at(tensor)];
    return is_pointwise(op) && std::ranges::any_of(op.bottom(), [&](const std::string& bottom) {
             return reaches(bottom, least, visited);
           });
  }

  void softmax(const TensorOp& op) {
    const float least = op.bottom_size() > 1 ? kWideMask : kWideScores;
    for (const std::string& bottom : op.bottom()) {
      std::set<std::string> visited;
      if (reaches(bottom, least, visited)) leave_producers(bottom);
    }
  }

  // Leaves the layers that make the wide tensor and those that read it, up to the end of its range.
  void wide(const std::string& tensor) {
    if (!wide_.insert(tensor).second) return;
    leave_producers(tensor);
    for (const size_t reader : readers_[tensor]) {
      const TensorOp& op = network_.ops[reader];
      leave(op);
      if (!keeps_range(op)) continue;
      for (const std::string& top : op.top())
        if (magnitude(top) >= kWide && magnitude(top) * 2 >= magnitude(tensor)) wide(top);
    }
  }

  const Network& network_;
  const TensorRanges& ranges_;
  std::map<std::string, size_t> producers_;
  std::map<std::string, std::vector<size_t>> readers_;
  std::set<std::string> found_, seen_, wide_;
};

}  // namespace

std::set<std::string> mask_layers(const Network& network, const TensorRanges& ranges) {
  return MaskSearch(network, ranges).run();
}

}  // namespace tputwin::net
