// Weights of a caffemodel in the layers of a graph, by Caffe's rules.
#pragma once

#include "bmnet/caffe/caffe_net.h"

namespace tputwin::net {

// Moves the blobs of `file`, a layer at a time in its order, to the first layer of `graph` that has
// the layer's name: of a name that is in the file twice, the last counts. Then parameters of one
// name (`param { name }`) get one blob, the last that the file has, and lose the name, so that what
// is done to a copy stays there. Errors: net_blob_shape, of shared blobs whose shapes differ.
Status attach_weights(caffe::NetParameter& graph, caffe::NetParameter file);

// The blobs of the net's layers, with their names; the net has none afterwards.
caffe::NetParameter take_weights(caffe::NetParameter& net);

// Gives every layer a name of its own: NAME/2 to the second layer called NAME, and the name of its
// top to a layer without one.
void make_names_unique(caffe::NetParameter& net);

// True if a blob of a file fits a layer's blob of these extents. Caffe's rule: the shape is the
// same, or the file has the four extents of Caffe 1 (num, channels, height, width), and these are
// the layer's with ones in front. Shared weights that permit it fit whatever their extents. The
// number of values must be compared separately.
bool fits(const caffe::BlobProto& blob, const std::vector<int64_t>& dims);
// The extents as they stand in the file, "(1,1,3,2)"; without any: "()".
std::string describe_blob(const caffe::BlobProto& blob);

}  // namespace tputwin::net
