// Upgrade of older and forked forms of a NetParameter to today's form.
#pragma once

#include <string_view>

#include "bmnet/caffe/caffe_net.h"

namespace tputwin::net {

// Layers of version 1 become `layer`, `input:` fields become Input layers, fields of forks move to
// the canonical ones, blobs get a shape and floats. Fields in today's form do not change.
Status upgrade(caffe::NetParameter& net);

// Reads the names of layers that have blobs, and the blobs, in the file's order.
Result<caffe::NetParameter> read_names_and_blobs(std::span<const uint8_t> file);
// Reads the names and blobs of a caffemodel, for the graph of a prototxt. Parameters of a fork may
// have any form under their numbers; they are skipped if they prevent reading.
Result<caffe::NetParameter> read_weights(std::span<const uint8_t> file);

// Returns true if a net in the test phase needs the layer: the layer is of that phase, is not a
// loss, and does not read a data set.
bool is_needed(const caffe::NetState& state, const caffe::LayerParameter& layer);
// Returns true for losses, Accuracy and similar layers, which a net in use does not need.
bool is_training_only(std::string_view type);
// Returns true for layers that read a data set.
bool is_data_layer(std::string_view type);

}  // namespace tputwin::net
