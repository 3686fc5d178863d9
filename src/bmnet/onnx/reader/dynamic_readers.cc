// Readers of DynamicQuantizeLinear. Its values stay floats, with scale 1 and zero point 0, if only
// operators read them that compute with the differences to the zero point. Sums of such products
// must be multiplied by the scale before anything else reads them.
#include <algorithm>
#include <map>
#include <set>

#include "bmnet/onnx/reader/node.h"
#include "bmnet/onnx/reader/subgraphs.h"

namespace tputwin::net::onnx_reader {
namespace {

constexpr std::string_view kViews[] = {"Identity", "Reshape",   "Flatten",
                                       "Squeeze",  "Unsqueeze", "Transpose"};

// Where an operator has integers, their scale and their zero point among its inputs. -1: no scale.
struct Operand {
  std::string_view type;
  int integers, scale, zero;
};
constexpr Operand kOperands[] = {{"ConvInteger", 0, -1, 2},
                                 {"MatMulInteger", 0, -1, 2},
                                 {"MatMulInteger", 1, -1, 3},
                                 {"MatMulIntegerToFloat", 0, 2, 4},
                                 {"MatMulIntegerToFloat", 1, 3, 5},
                                 {"DequantizeLinear", 0, 1, 2},
                                 {"QAttention", 0, 3, 6}};

std::string input_of(const onnx::NodeProto& node, int index) {
  return index >= 0 && index < node.input_size() ? node.input(index) : "";
}

using Names = std::multiset<std::string>;  // of scales

class Readers {
 public:
  explicit Readers(const onnx::GraphProto& graph) : graph_(graph) {}

  // Returns the results of the nodes whose integers nothing needs.
  std::set<std::string> floats() {
    for (const auto& node : graph_.node()) {
      if (!sources_.empty()) follow(node);
      if (node.op_type() != "DynamicQuantizeLinear" || node.output_size() != 3) continue;
      made_[node.output(0)] = {node.output(1), node.output(2)};
      if (!node.output(1).empty()) factors_[node.output(1)] = {node.output(1)};
      for (const std::string& output : node.output())
        if (!output.empty()) sources_[output] = {node.output(0)};
      floats_.insert(node.output(0));
    }
    for (const auto& output : graph_.output())
      if (is_tracked(output.name())) need(output.name());
    return std::move(floats_);
  }

 private:
  struct Parameters {
    std::string scale, zero;
  };

  bool is_tracked(const std::string& name) const {
    const auto has_zero = [&](const auto& one) { return one.second.zero == name; };
    return made_.contains(name) || sums_.contains(name) || factors_.contains(name) ||
           (!name.empty() && std::ranges::any_of(made_, has_zero));
  }

  // The integers that a tensor is made of are needed.
  void need(const std::string& name) {
    if (const auto found = sources_.find(name); found != sources_.end())
      for (const std::string& source : found->second) floats_.erase(source);
  }

  // Returns the inputs of a node that reads integers as it may, and the scales that its sums lack.
  std::set<int> operands(const onnx::NodeProto& node, Names& lacking) const {
    std::set<int> allowed;
    for (const Operand& operand : kOperands) {
      const auto made = made_.find(input_of(node, operand.integers));
      if (node.op_type() != operand.type || made == made_.end()) continue;
      const bool has_scale =
          operand.scale < 0 || input_of(node, operand.scale) == made->second.scale;
      if (!has_scale || input_of(node, operand.zero) != made->second.zero) continue;
      allowed.insert({operand.integers, operand.zero});
      if (operand.scale < 0) lacking.insert(made->second.scale);
      if (operand.scale >= 0) allowed.insert(operand.scale);
    }
    return allowed;
  }

  // Views, casts and products pass on what they read.
  bool passes_on(const onnx::NodeProto& node) {
    const std::string from = input_of(node, 0);
    const bool is_view = std::ranges::find(kViews, node.op_type()) != std::end(kViews);
    if (node.output_size() != 1) return false;
    if (is_view && made_.contains(from)) {
      made_[node.output(0)] = Parameters(made_.at(from));
      return true;
    }
    if ((is_view || node.op_type() == "Cast") && sums_.contains(from)) {
      sums_[node.output(0)] = Names(sums_.at(from));
      return true;
    }
    if (is_view && factors_.contains(from)) {
      factors_[node.output(0)] = Names(factors_.at(from));
      return true;
    }
    return node.op_type() == "Mul" && multiply(node);
  }

  // Returns true if a product has scales, or gives a sum some that it lacks.
  bool multiply(const onnx::NodeProto& node) {
    std::string a = input_of(node, 0), b = input_of(node, 1);
    if (sums_.contains(b)) std::swap(a, b);
    const bool has_factors = factors_.contains(b);
    if (sums_.contains(b) || made_.contains(a) || made_.contains(b)) return false;
    if (!sums_.contains(a)) {
      Names all = factors_.contains(a) ? Names(factors_.at(a)) : Names();
      if (has_factors) all.insert(factors_.at(b).begin(), factors_.at(b).end());
      factors_[node.output(0)] = std::move(all);
      return true;
    }
    Names lacking(sums_.at(a));
    if (has_factors)
      for (const std::string& scale : factors_.at(b)) {
        const auto own = lacking.find(scale);
        if (own == lacking.end()) return false;
        lacking.erase(own);
      }
    if (!lacking.empty()) sums_[node.output(0)] = std::move(lacking);
    return true;
  }

  void follow(const onnx::NodeProto& node) {
    std::set<std::string> read;
    add_read(node, read);
    std::erase_if(read, [&](const std::string& name) { return !is_tracked(name); });
    if (read.empty()) return;
    std::set<std::string> all;
    for (const std::string& name : read)
      all.insert(sources_.at(name).begin(), sources_.at(name).end());
    for (const std::string& output : node.output()) sources_[output] = all;
    Names lacking;
    const std::set<int> allowed = operands(node, lacking);
    for (const int i : allowed) read.erase(input_of(node, i));
    if (!allowed.empty() && !lacking.empty() && node.output_size() == 1)
      sums_[node.output(0)] = lacking;
    if (read.empty() || (allowed.empty() && passes_on(node))) return;
    for (const std::string& name : read) need(name);
  }

  const onnx::GraphProto& graph_;
  std::map<std::string, Parameters> made_;                // by the name of the integers
  std::map<std::string, Names> sums_;                     // the scales that sums of integers lack
  std::map<std::string, Names> factors_;                  // products of scales, and other numbers
  std::map<std::string, std::set<std::string>> sources_;  // of tracked tensors
  std::set<std::string> floats_;
};

}  // namespace

std::set<std::string> dynamic_floats(const onnx::GraphProto& graph) {
  return Readers(graph).floats();
}

}  // namespace tputwin::net::onnx_reader
