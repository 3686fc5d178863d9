// Reading of Caffe files: one NetParameter in today's form, with layers of version 2, in the test
// phase, with weights attached.
#pragma once

#include <bmnet/tputwin_caffe.pb.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"

namespace tputwin::net {

namespace caffe = ::tputwin::caffe;

// Reads text. Unknown fields are an error that lists all of them with line and column. Aliases of
// the SSD and ROI forks are accepted (detection_output_param ...).
Result<caffe::NetParameter> read_prototxt(std::string_view text);
// Reads the binary form, also of Caffe version 1 (`layers`) with 4-D blobs. Checks every length in
// the file.
Result<caffe::NetParameter> read_caffemodel(std::span<const uint8_t> file);

// Returns the graph of `prototxt` (if the path is empty, of the caffemodel) for the test phase. Its
// layers get the weights that `caffemodel` (empty path: none) has under their names. Training-only
// layers (losses, Accuracy, Silence and data layers' labels) are removed; `input:` fields become
// Input layers. Weights are shared by `param { name }`. Layers with equal names get unique names
// (attach.h).
Result<caffe::NetParameter> load_caffe(const std::string& prototxt, const std::string& caffemodel);
Result<caffe::NetParameter> merge_caffe(caffe::NetParameter graph, caffe::NetParameter weights);

// Folds BatchNorm and Scale into the convolution, inner product or deconvolution before them, or
// else into one Scale layer. The folded net has no BatchNorm. Needs the weights.
Result<caffe::NetParameter> fold_batch_norm(caffe::NetParameter net);

// These functions return the forms that read_prototxt and read_caffemodel read.
std::string to_prototxt(const caffe::NetParameter& net);  // graph only, without blobs
std::string to_caffemodel(const caffe::NetParameter& net);

}  // namespace tputwin::net
