// Nets of one layer.
#include "bmnet/targets/bm1684x/search/single_layer.h"

#include <algorithm>

#include "bmnet/integers/integers.h"
#include "bmnet/targets/bm1684x/input_bytes.h"

namespace tputwin::net::bm1684x {
namespace {

Network network_of(const Network& all, const TensorOp& op) {
  Network net;
  net.name = op.name();
  for (const auto& [tensor, numbers] : bytes_of_inputs(all))
    if (std::ranges::count(op.bottom(), tensor) > 0) net.byte_inputs[tensor] = numbers.type;
  for (int i = 0; i < op.bottom_size(); ++i) {
    if (net.shape_of(op.bottom(i)) != nullptr) continue;
    TensorOp start;
    start.set_name(op.bottom(i) + "/start");
    set_type(start, Op::start);
    start.add_top(op.bottom(i));
    *start.add_output_shape() = op.input_shape(i);
    net.ops.push_back(std::move(start));
  }
  net.ops.push_back(op);
  if (const auto blobs = all.blobs.find(op.name()); blobs != all.blobs.end())
    net.blobs[op.name()] = blobs->second;
  TensorOp end;
  end.set_name(op.name() + "/end");
  set_type(end, Op::end);
  for (int i = 0; i < op.top_size(); ++i) {
    end.add_bottom(op.top(i));
    *end.add_input_shape() = op.output_shape(i);
  }
  net.ops.push_back(std::move(end));
  return net;
}

// Returns the entries of all tensors of the net, by the names of its layers.
NetCalibrationParameter table_of(const Network& net, const Network& all,
                                 const NetCalibrationParameter& table) {
  std::map<std::string, const BlobParameter*> known;
  for (const LayerCalibrationParameter& entry : table.layer())
    for (const BlobParameter& blob : entry.blob_param()) known[blob.name()] = &blob;
  NetCalibrationParameter own;
  if (table.has_floats()) own.set_floats(table.floats());
  for (const TensorOp& op : net.ops) {
    LayerCalibrationParameter& entry = *own.add_layer();
    entry.set_name(op.calib_id().empty() ? op.name() : op.calib_id());
    for (const std::string& top : op.top()) {
      auto found = known.find(all.blob_name(top));
      if (found == known.end()) found = known.find(top);
      if (found == known.end()) continue;
      BlobParameter& blob = *entry.add_blob_param();
      blob = *found->second;
      blob.set_name(top);
    }
  }
  return own;
}

}  // namespace

Result<std::unique_ptr<SingleLayer>> SingleLayer::make(const Network& network, const TensorOp& op,
                                                       const NetCalibrationParameter& table,
                                                       DType type) {
  std::unique_ptr<SingleLayer> layer(new SingleLayer);
  layer->network_ = network_of(network, op);
  const NetCalibrationParameter own = table_of(layer->network_, network, table);
  const bool packs = target().packing() != nullptr;
  TW_ASSIGN_OR_RETURN(
      compiled,
      compile(layer->network_,
              {.type = type, .table = &own, .float_inputs = packs, .float_outputs = packs}));
  layer->compiled_ = std::move(compiled);
  TW_ASSIGN_OR_RETURN(simulated, SimulatedNet::load(layer->compiled_));
  layer->simulated_ = std::move(simulated);
  return layer;
}

Result<std::map<std::string, Blob>> SingleLayer::run(const std::map<std::string, Blob>& tensors) {
  std::vector<std::span<const float>> inputs;
  for (const std::string& name : network_.inputs()) inputs.push_back(tensors.at(name).data);
  TW_ASSIGN_OR_RETURN(outputs, simulated_->run(inputs));
  std::map<std::string, Blob> results;
  const std::vector<std::string> names = network_.outputs();
  for (size_t i = 0; i < names.size(); ++i)
    results[names[i]] = {dims(*network_.shape_of(names[i])), std::move(outputs[i])};
  return results;
}

}  // namespace tputwin::net::bm1684x
