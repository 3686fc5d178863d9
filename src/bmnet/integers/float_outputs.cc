// Outputs that concatenations join from parts with very different ranges.
#include "bmnet/integers/float_outputs.h"

#include <algorithm>
#include <map>

#include "bmnet/integers/integers.h"
#include "bmnet/integers/thresholds.h"

namespace tputwin::net {
namespace {

size_t readers(const Network& network, const std::string& tensor) {
  size_t count = 0;
  for (const TensorOp& op : network.ops)
    count += static_cast<size_t>(std::ranges::count(op.bottom(), tensor));
  return count;
}

class Search {
 public:
  Search(const Network& network, const std::string& output) : network_(network) {
    found_.output = output;
    visit(output);
  }
  bool has_concat() const { return has_concat_; }
  JoinedOutput take() { return std::move(found_); }

 private:
  void visit(const std::string& tensor) {
    const TensorOp* op = network_.producer(tensor);
    const bool joins = op != nullptr && is(*op, Op::concat);
    const bool moves = op != nullptr && has_trait(*op, trait::moves_elements) &&
                       op->top_size() == 1 && op->bottom_size() == 1;
    if ((!joins && !moves) || holds_floats(*op, 0) || readers(network_, tensor) != 1) {
      if (std::ranges::find(found_.parts, tensor) == found_.parts.end())
        found_.parts.push_back(tensor);
      return;
    }
    has_concat_ = has_concat_ || joins;
    found_.layers.insert(op->name());
    for (const std::string& bottom : op->bottom()) visit(bottom);
  }

  const Network& network_;
  JoinedOutput found_;
  bool has_concat_ = false;
};

void set_element_bytes(google::protobuf::RepeatedPtrField<TensorShape>& shapes) {
  for (TensorShape& shape : shapes) shape.set_data_type_size(sizeof(float));
}

// Returns the host operator that converts a part to floats.
TensorOp dequantized(const std::string& part, const TensorShape& shape) {
  TensorOp op;
  op.set_name(part + "/float");
  set_type(op, Op::dequantized);
  op.add_bottom(part);
  op.add_top(op.name());
  *op.add_input_shape() = shape;
  *op.add_output_shape() = shape;
  set_element_bytes(*op.mutable_output_shape());
  return op;
}

void make_float(Network& network, const JoinedOutput& joined) {
  std::map<std::string, std::string> floats;
  for (const std::string& part : joined.parts) {
    const TensorShape shape = *network.shape_of(part);
    if (shape.data_type_size() == sizeof(float)) continue;
    TensorOp op = dequantized(part, shape);
    floats[part] = op.top(0);
    const auto producer = std::ranges::find_if(network.ops, [&](const TensorOp& o) {
      return std::ranges::find(o.top(), part) != o.top().end();
    });
    network.ops.insert(std::next(producer), std::move(op));
  }
  for (TensorOp& op : network.ops) {
    if (!joined.layers.contains(op.name())) continue;
    for (std::string& bottom : *op.mutable_bottom())
      if (const auto found = floats.find(bottom); found != floats.end()) bottom = found->second;
    set_element_bytes(*op.mutable_input_shape());
    set_element_bytes(*op.mutable_output_shape());
  }
  TensorOp& end = network.ops.back();
  for (int i = 0; i < end.bottom_size(); ++i)
    if (end.bottom(i) == joined.output)
      end.mutable_input_shape(i)->set_data_type_size(sizeof(float));
}

// Removes the rescaling of the joined layers: floats need none.
void drop_rescaling(const Network& network, const JoinedOutput& joined,
                    NetCalibrationParameter& table) {
  for (const TensorOp& op : network.ops) {
    if (!joined.layers.contains(op.name())) continue;
    const auto* found = find_entry(table, op);
    for (LayerCalibrationParameter& entry : *table.mutable_layer())
      if (&entry == found) entry.clear_concat_param();
  }
}

}  // namespace

std::vector<JoinedOutput> joined_outputs(const Network& network) {
  std::vector<JoinedOutput> result;
  for (const std::string& output : network.outputs()) {
    Search search(network, output);
    if (search.has_concat()) result.push_back(search.take());
  }
  return result;
}

bool is_mixed(const JoinedOutput& output,
              const std::function<float(const std::string& tensor)>& threshold) {
  float least = threshold(output.parts.front()), most = least;
  for (const std::string& part : output.parts) {
    least = std::min(least, threshold(part));
    most = std::max(most, threshold(part));
  }
  return most > kMixedRatio * least;
}

void make_mixed_outputs_float(Network& network, NetCalibrationParameter& table) {
  const std::vector<JoinedOutput> joined = joined_outputs(network);
  if (joined.empty()) return;
  auto resolved = resolve_thresholds(network, table);
  if (!resolved.ok()) return;
  std::map<std::string, float, std::less<>> thresholds;
  for (size_t i = 0; i < network.ops.size(); ++i)
    for (int t = 0; t < network.ops[i].top_size(); ++t)
      thresholds[network.ops[i].top(t)] = (*resolved)[i].y.at(static_cast<size_t>(t));
  for (const JoinedOutput& output : joined) {
    if (!is_mixed(output, [&](const std::string& tensor) { return thresholds.at(tensor); }))
      continue;
    drop_rescaling(network, output, table);
    make_float(network, output);
  }
}

}  // namespace tputwin::net
