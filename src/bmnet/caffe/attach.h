// Assignment of the weights of a caffemodel to the layers of a graph, by Caffe's rules.
#pragma once

#include "bmnet/caffe/caffe_net.h"

namespace tputwin::net {

// Moves the blobs of `file`, layer by layer in its order, to the first layer of `graph` with the
// layer's name. Layers that the file leaves to the host keep that mark. If a name occurs twice
// in the file, the last one counts. Then parameters with one name (`param { name }`) get one blob,
// the last in the file. They lose the name, so that a change of one copy does not affect the
// others. Errors: net_blob_shape if shapes of shared blobs differ.
Status attach_weights(caffe::NetParameter& graph, caffe::NetParameter file);

// Moves the blobs of the net's layers out of the net. Returns them with the layers' names.
caffe::NetParameter take_weights(caffe::NetParameter& net);

// Gives every layer a unique name. The second layer called NAME becomes NAME/2; a layer without a
// name gets the name of its top.
void make_names_unique(caffe::NetParameter& net);

// Returns true if a blob of a file fits a layer's blob of these extents. Caffe accepts equal
// shapes. It also accepts the four extents of Caffe 1 (num, channels, height, width) if they are
// the layer's with leading ones. Shared weights that permit it fit any extents. The caller must
// compare the number of values.
bool fits(const caffe::BlobProto& blob, const std::vector<int64_t>& dims);
// Returns the extents as stored in the file, such as "(1,1,3,2)"; "()" if there are none.
std::string describe_blob(const caffe::BlobProto& blob);

}  // namespace tputwin::net
