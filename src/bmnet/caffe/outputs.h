// The outputs of a Caffe net and their names.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bmnet/caffe/caffe_net.h"
#include "bmnet/ir/network.h"

namespace tputwin::net {

// True if a layer behind `layer` has `blob` as a bottom before another makes it again. `layer` is
// one of the net's.
bool is_read_after(const caffe::NetParameter& net, const caffe::LayerParameter& layer,
                   const std::string& blob);

// A reshape, which costs nothing: `top` of a layer that moves nothing is `bottom` under another
// name.
TensorOp make_alias(const Network& network, const caffe::LayerParameter& layer,
                    const std::string& top, const std::string& bottom, const TensorShape& shape);

// The tensors of the outputs that the net lists. Their names go to the network's blob_names.
// `current`: the tensor of every blob.
std::vector<std::string> listed_outputs(const caffe::NetParameter& net,
                                        const std::map<std::string, std::string>& current,
                                        Network& network, std::vector<Error>& problems);

}  // namespace tputwin::net
