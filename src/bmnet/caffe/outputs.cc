// Outputs: blobs without readers, or blobs that the net lists.
#include "bmnet/caffe/outputs.h"

#include <algorithm>

#include "base/errors/bmnet.h"

namespace tputwin::net {
namespace {

template <class Names>
bool includes(const Names& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

bool is_read_after(const caffe::NetParameter& net, const caffe::LayerParameter& layer,
                   const std::string& blob) {
  bool is_after = false;
  for (const caffe::LayerParameter& other : net.layer()) {
    if (is_after && includes(other.bottom(), blob)) return true;
    if (is_after && includes(other.top(), blob)) return false;
    is_after = is_after || &other == &layer;
  }
  return false;
}

TensorOp make_alias(const Network& network, const caffe::LayerParameter& layer,
                    const std::string& top, const std::string& bottom, const TensorShape& shape) {
  std::string name = layer.top_size() == 1 ? layer.name() : layer.name() + "/" + top;
  const auto is_taken = [&](const TensorOp& op) { return op.name() == name; };
  while (std::ranges::any_of(network.ops, is_taken)) name += "'";
  TensorOp op;
  op.set_name(name);
  op.set_calib_id(name);
  set_type(op, Op::reshape);
  op.add_bottom(bottom);
  op.add_top(top);
  *op.add_input_shape() = *op.add_output_shape() = shape;
  return op;
}

namespace {

// Keeps the extents that an output has in its model. Another batch changes the first one.
void keep_dims(const caffe::NetOutput& output, const std::string& tensor, Network& network) {
  std::vector<int64_t> own(output.dim().begin(), output.dim().end());
  const TensorShape* shape = network.shape_of(tensor);
  if (own.empty() || shape == nullptr) return;
  int64_t others = 1;
  for (size_t axis = 1; axis < own.size(); ++axis) others *= own[axis];
  if (others < 1 || count(*shape) % others != 0) return;
  own[0] = count(*shape) / others;
  network.output_dims[output.name()] = std::move(own);
}

}  // namespace

std::vector<std::string> listed_outputs(const caffe::NetParameter& net,
                                        const std::map<std::string, std::string>& current,
                                        Network& network, std::vector<Error>& problems) {
  std::vector<std::string> outputs;
  for (const caffe::NetOutput& output : net.output()) {
    const auto found = current.find(output.blob());
    if (found == current.end() || includes(outputs, found->second)) {
      problems.push_back(
          Error(errors::net_unknown_bottom)
              .in("net " + net.name())
              .argument("output", output.blob())
              .detail(found == current.end() ? "no layer makes it" : "it is listed twice"));
      continue;
    }
    outputs.push_back(found->second);
    keep_dims(output, found->second, network);
    if (output.name() != found->second) network.blob_names[found->second] = output.name();
  }
  return outputs;
}

}  // namespace tputwin::net
