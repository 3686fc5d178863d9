// The net under construction.
#include "bmnet/onnx/reader/graph.h"

#include <algorithm>
#include <cmath>

#include "bmnet/ir/infer.h"

namespace tputwin::net::onnx_reader {

float Quantization::threshold() const {
  return static_cast<float>(std::max(zero - lowest(), highest() - zero + 1)) * scale;
}

Dims net_dims(const Dims& dims) {
  if (dims.empty()) return {1};
  Dims result(dims.begin(),
              dims.begin() + static_cast<std::ptrdiff_t>(std::min<size_t>(4, dims.size())));
  for (size_t i = 4; i < dims.size(); ++i) result[3] *= dims[i];
  return result;
}

std::string Graph::unique(std::string name) {
  while (!names_.insert(name).second) name += "'";
  return name;
}

std::string Graph::add(TensorOp op, std::vector<Blob> blobs) {
  for (const std::string& bottom : op.bottom()) *op.add_input_shape() = shapes_.at(bottom);
  if (!is(op, Op::start)) {
    auto shapes = infer_shapes(op);
    if (!shapes.ok()) throw Refusal{shapes.error()};
    op.clear_output_shape();
    for (const TensorShape& shape : *shapes) *op.add_output_shape() = shape;
    if (Status status = check_blobs(op, blobs); !status.ok()) throw Refusal{status.error()};
  }
  for (int i = 0; i < op.top_size(); ++i) {
    op.set_top(i, unique(op.top(i)));
    shapes_[op.top(i)] = op.output_shape(i);
  }
  op.set_calib_id(op.name());
  if (!blobs.empty()) network.blobs[op.name()] = std::move(blobs);
  network.ops.push_back(std::move(op));
  return network.ops.back().top(0);
}

std::string Graph::view(const std::string& tensor, const Dims& wanted) {
  if (dims(tensor) == wanted) return tensor;
  const TensorOp* maker = network.producer(tensor);
  if (maker != nullptr && is(*maker, Op::reshape)) return view(maker->bottom(0), wanted);
  const auto known = views_.find({tensor, wanted});
  if (known != views_.end()) return known->second;
  TensorOp op;
  set_type(op, Op::reshape);
  op.add_bottom(tensor);
  *op.add_output_shape() = make_shape(wanted);
  std::string name = tensor + "/as";
  for (int64_t d : wanted) name += "_" + std::to_string(d);
  // An earlier view may be the output of a node now.
  while (has_op(name)) name += "'";
  op.set_name(name);
  op.add_top(name);
  return views_[{tensor, wanted}] = add(std::move(op), {});
}

bool Graph::has_op(const std::string& name) const {
  return std::ranges::any_of(network.ops, [&](const TensorOp& op) { return op.name() == name; });
}

Dims Graph::dims(const std::string& tensor) const { return net::dims(shapes_.at(tensor)); }

void Graph::rename_last(const std::string& name, int top, const std::string& output) {
  TensorOp& op = network.ops.back();
  const std::string old = op.top(top);
  if (names_.contains(output)) return;
  names_.insert(output);
  shapes_[output] = shapes_.at(old);
  shapes_.erase(old);
  if (const auto known = thresholds.extract(old); !known.empty())
    thresholds[output] = known.mapped();
  std::erase_if(views_, [&](const auto& entry) { return entry.second == old; });
  op.set_top(top, output);
  if (network.blobs.contains(name) || has_op(name)) return;
  if (auto blobs = network.blobs.extract(op.name()); !blobs.empty()) {
    blobs.key() = name;
    network.blobs.insert(std::move(blobs));
  }
  op.set_name(name);
  op.set_calib_id(name);
}

std::string Graph::source_of_bytes(std::string tensor) const {
  while (!thresholds.contains(tensor)) {
    const TensorOp* op = network.producer(tensor);
    if (op == nullptr || op->bottom_size() != 1 || !keeps_threshold(*op)) break;
    tensor = op->bottom(0);
  }
  return tensor;
}

void Graph::set_threshold(const std::string& tensor, const Quantization& quantization) {
  float& threshold = thresholds[tensor];
  threshold = std::max(threshold, quantization.threshold());
}

}  // namespace tputwin::net::onnx_reader
