// Readers of DynamicQuantizeLinear. Its values stay floats, with scale 1 and zero point 0, so only
// operators may read them that compute with the differences to the zero point.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/errors/bmnet.h"
#include "bmnet/onnx/reader/node.h"

namespace tputwin::net::onnx_reader {
namespace {

constexpr std::string_view kViews[] = {"Identity", "Reshape",   "Flatten",
                                       "Squeeze",  "Unsqueeze", "Transpose"};

// Where an operator has integers, their scale and their zero point among its inputs. -1: no scale.
struct Operand {
  std::string_view type;
  int integers, scale, zero;
};
constexpr Operand kOperands[] = {
    {"ConvInteger", 0, -1, 2},         {"MatMulInteger", 0, -1, 2},
    {"MatMulInteger", 1, -1, 3},       {"MatMulIntegerToFloat", 0, 2, 4},
    {"MatMulIntegerToFloat", 1, 3, 5}, {"DequantizeLinear", 0, 1, 2}};

std::string input_of(const onnx::NodeProto& node, int index) {
  return index >= 0 && index < node.input_size() ? node.input(index) : "";
}

class Readers {
 public:
  explicit Readers(const onnx::GraphProto& graph) : graph_(graph) {}

  std::vector<Error> problems() {
    for (const auto& node : graph_.node()) {
      check(node);
      if (node.op_type() == "DynamicQuantizeLinear" && node.output_size() == 3)
        made_[node.output(0)] = {node.output(1), node.output(2)};
      const bool is_view = std::ranges::find(kViews, node.op_type()) != std::end(kViews);
      if (is_view && node.output_size() == 1 && made_.contains(input_of(node, 0)))
        made_[node.output(0)] = made_.at(node.input(0));
    }
    for (const auto& output : graph_.output())
      if (is_dynamic(output.name())) add("output " + output.name(), output.name());
    return std::move(problems_);
  }

 private:
  struct Parameters {
    std::string scale, zero;
  };

  bool is_dynamic(const std::string& name) const {
    return made_.contains(name) ||
           std::ranges::any_of(made_, [&](const auto& one) { return one.second.zero == name; });
  }

  void add(std::string where, const std::string& name) {
    problems_.push_back(
        Error(errors::net_onnx_operator)
            .in(std::move(where))
            .argument("input", name)
            .detail("integers of a DynamicQuantizeLinear stay floats: only ConvInteger, "
                    "MatMulInteger and DequantizeLinear read them, with its scale and zero point"));
  }

  void check(const onnx::NodeProto& node) {
    if (made_.empty()) return;
    const bool is_view = std::ranges::find(kViews, node.op_type()) != std::end(kViews);
    std::set<int> allowed;
    if (is_view) allowed.insert(0);
    for (const Operand& operand : kOperands) {
      const auto made = made_.find(input_of(node, operand.integers));
      if (node.op_type() != operand.type || made == made_.end()) continue;
      const bool has_scale =
          operand.scale < 0 || input_of(node, operand.scale) == made->second.scale;
      if (has_scale && input_of(node, operand.zero) == made->second.zero)
        allowed.insert({operand.integers, operand.zero});
    }
    for (int i = 0; i < node.input_size(); ++i)
      if (!allowed.contains(i) && is_dynamic(node.input(i)))
        return add("node " + node.name() + " (" + node.op_type() + ")", node.input(i));
  }

  const onnx::GraphProto& graph_;
  std::map<std::string, Parameters> made_;  // by the name of the integers
  std::vector<Error> problems_;
};

}  // namespace

std::vector<Error> dynamic_reader_problems(const onnx::GraphProto& graph) {
  return Readers(graph).problems();
}

}  // namespace tputwin::net::onnx_reader
