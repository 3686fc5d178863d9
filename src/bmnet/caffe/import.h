// Caffe net -> Network: types, parameters, shapes.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "bmnet/caffe/caffe_net.h"
#include "bmnet/ir/network.h"

namespace tputwin::net {

// Turns one Caffe layer into its TensorOp: name, bottoms, tops, calib_id and input shapes are set;
// type, parameters and output shapes are its work. Used for layers of addCustomizedLayer, which
// replace built-in ones of their name.
using LayerImporter = std::function<Status(caffe::LayerParameter& layer, TensorOp& op)>;

struct ImportOptions {
  std::vector<TensorShape> input_shapes;  // in the order of the inputs; empty: the net's own
  int64_t batch = 0;                      // not 0: replaces n of every input shape
  std::map<std::string, LayerImporter, std::less<>> custom;  // by Caffe type
  bool needs_weights = true;                                 // false: shapes only
};

// Every problem of the net is reported at once, in the detail of one error. The net may have
// BatchNorm layers; the compiler wants them folded (fold_batch_norm).
Result<Network> import_caffe(const caffe::NetParameter& net, const ImportOptions& options = {});

}  // namespace tputwin::net
