// Nodes in the order of their tensors: converters append Cast nodes at the end of a file.
#include "bmnet/onnx/reader/order.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "bmnet/onnx/reader/subgraphs.h"

namespace tputwin::net::onnx_reader {
namespace {

class Order {
 public:
  explicit Order(const onnx::GraphProto& graph) {
    std::map<std::string, int> makers;
    for (int i = 0; i < graph.node_size(); ++i)
      for (const std::string& output : graph.node(i).output()) makers.emplace(output, i);
    for (const auto& node : graph.node()) {
      std::set<std::string> read;
      add_read(node, read);
      std::vector<int>& needs = needs_.emplace_back();
      for (const std::string& name : read)
        if (const auto maker = makers.find(name); maker != makers.end())
          needs.push_back(maker->second);
      std::ranges::sort(needs);
    }
  }

  bool is_sorted() const {
    for (size_t i = 0; i < needs_.size(); ++i)
      if (!needs_[i].empty() && needs_[i].back() >= static_cast<int>(i)) return false;
    return true;
  }

  // Returns all nodes, each behind those that it needs; none if nodes need each other.
  std::vector<int> sorted() {
    states_.assign(needs_.size(), State::open);
    for (size_t i = 0; i < needs_.size(); ++i)
      if (!visit(static_cast<int>(i))) return {};
    return std::move(order_);
  }

 private:
  enum class State : uint8_t { open, begun, done };

  bool visit(int first) {
    std::vector<int> stack{first};
    while (!stack.empty()) {
      const int node = stack.back();
      State& state = states_[static_cast<size_t>(node)];
      if (state != State::open) {
        if (state == State::begun) order_.push_back(node);
        state = State::done;
        stack.pop_back();
        continue;
      }
      state = State::begun;
      const std::vector<int>& needs = needs_[static_cast<size_t>(node)];
      for (auto need = needs.rbegin(); need != needs.rend(); ++need) {
        if (states_[static_cast<size_t>(*need)] == State::begun) return false;
        if (states_[static_cast<size_t>(*need)] == State::open) stack.push_back(*need);
      }
    }
    return true;
  }

  std::vector<std::vector<int>> needs_;
  std::vector<State> states_;
  std::vector<int> order_;
};

}  // namespace

void sort_nodes(onnx::GraphProto& graph) {
  for (auto& node : *graph.mutable_node())
    for (auto& attribute : *node.mutable_attribute()) {
      if (attribute.has_g()) sort_nodes(*attribute.mutable_g());
      for (auto& inner : *attribute.mutable_graphs()) sort_nodes(inner);
    }
  Order order(graph);
  if (order.is_sorted()) return;
  google::protobuf::RepeatedPtrField<onnx::NodeProto> nodes;
  for (const int i : order.sorted()) nodes.Add(std::move(*graph.mutable_node(i)));
  if (!nodes.empty()) graph.mutable_node()->Swap(&nodes);
}

}  // namespace tputwin::net::onnx_reader
