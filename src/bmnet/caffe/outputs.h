// The outputs of a Caffe net and their names.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bmnet/caffe/caffe_net.h"
#include "bmnet/ir/network.h"

namespace tputwin::net {

// Returns true if a layer after `layer` has `blob` as a bottom before another one produces it
// again. `layer` must be one of the net's.
bool is_read_after(const caffe::NetParameter& net, const caffe::LayerParameter& layer,
                   const std::string& blob);

// Returns a reshape, which costs nothing: `top` of a layer that moves nothing is `bottom` with
// another name.
TensorOp make_alias(const Network& network, const caffe::LayerParameter& layer,
                    const std::string& top, const std::string& bottom, const TensorShape& shape);

// Returns the tensors of the outputs that the net lists. Adds their names to the network's
// blob_names. `current` maps each blob to its tensor.
std::vector<std::string> listed_outputs(const caffe::NetParameter& net,
                                        const std::map<std::string, std::string>& current,
                                        Network& network, std::vector<Error>& problems);

}  // namespace tputwin::net
