// Older and forked forms of a NetParameter, brought to today's.
#pragma once

#include <string_view>

#include "bmnet/caffe/caffe_net.h"

namespace tputwin::net {

// Layers of version 1 become `layer`, `input:` fields become Input layers, fields of forks go to
// the canonical ones, blobs get a shape and floats. What is of today's form already stays as it is.
Status upgrade(caffe::NetParameter& net);

// The names of layers that have blobs, and these, in the file's order.
Result<caffe::NetParameter> read_names_and_blobs(std::span<const uint8_t> file);
// What a caffemodel gives to the graph of a prototxt: names and blobs. Parameters of a fork may be
// anything under their numbers; where they hinder reading, they are left out.
Result<caffe::NetParameter> read_weights(std::span<const uint8_t> file);

// True if a net in the test phase needs the layer: it is of that phase, no loss, and no
// layer that reads a data set.
bool is_needed(const caffe::NetState& state, const caffe::LayerParameter& layer);
// Losses, Accuracy and the like: layers that a net in use has no need of.
bool is_training_only(std::string_view type);
// Layers that read a data set.
bool is_data_layer(std::string_view type);

}  // namespace tputwin::net
