// Import of a Caffe net as a Network: types, parameters, shapes.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "bmnet/caffe/caffe_net.h"
#include "bmnet/ir/network.h"

namespace tputwin::net {

// Converts one Caffe layer to its TensorOp. Name, bottoms, tops, calib_id and input shapes are set;
// the function must set type, parameters and output shapes. Used for layers of addCustomizedLayer,
// which replace built-in ones with the same name.
using LayerImporter = std::function<Status(caffe::LayerParameter& layer, TensorOp& op)>;

struct ImportOptions {
  // In the order of the inputs. If empty, the net's own shapes are used.
  std::vector<TensorShape> input_shapes;
  // Not 0: replaces n of every input shape. For ONNX see load_net().
  int64_t batch = 0;
  // Tensors of an ONNX file at which the net ends, or nodes of one result; empty: its outputs.
  std::vector<std::string> outputs;
  std::map<std::string, LayerImporter, std::less<>> custom;  // by Caffe type
  bool needs_weights = true;                                 // false: shapes only
  // Operators of docs/host-operators.md may be used, for models of subnets. Inputs may be integers.
  bool has_subnets = false;
};

// Imports a net. All problems of the net are reported at once, in the detail of one error. The net
// may have BatchNorm layers; the compiler needs them folded (fold_batch_norm).
Result<Network> import_caffe(const caffe::NetParameter& net, const ImportOptions& options = {});

}  // namespace tputwin::net
