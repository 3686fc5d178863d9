// Caffe files -> one NetParameter in today's form: layers of version 2, test phase, weights
// attached.
#pragma once

#include <bmnet/tputwin_caffe.pb.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"

namespace tputwin::net {

namespace caffe = ::tputwin::caffe;

// Text. Unknown fields are an error (all of them, with line and column); the aliases of the SSD and
// ROI forks are understood (detection_output_param ...).
Result<caffe::NetParameter> read_prototxt(std::string_view text);
// Binary; also of Caffe version 1 (`layers`) with 4-D blobs. Never trusts a length of the file.
Result<caffe::NetParameter> read_caffemodel(std::span<const uint8_t> file);

// Graph of `prototxt` (empty path: of the caffemodel) with the weights that `caffemodel` (empty
// path: none) has under the layers' names, for the test phase. Training-only layers (losses,
// Accuracy, Silence and data layers' labels) are dropped, `input:` fields become Input layers.
// Weights are shared by `param { name }`, and layers of one name get names of their own (attach.h).
Result<caffe::NetParameter> load_caffe(const std::string& prototxt, const std::string& caffemodel);
Result<caffe::NetParameter> merge_caffe(caffe::NetParameter graph, caffe::NetParameter weights);

// BatchNorm and Scale folded into the convolution, inner product or deconvolution before them, or
// into one Scale layer where there is none. The folded net has no BatchNorm. Needs the weights.
Result<caffe::NetParameter> fold_batch_norm(caffe::NetParameter net);

// The text and binary forms that read_prototxt and read_caffemodel read.
std::string to_prototxt(const caffe::NetParameter& net);  // graph only, without blobs
std::string to_caffemodel(const caffe::NetParameter& net);

}  // namespace tputwin::net
