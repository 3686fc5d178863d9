// Network: a net in the compiler's intermediate representation, with its weights.
//
// `ops` are the TensorOps of the documents, ordered so that every tensor is produced before it is
// used: one "start" per input, the layers, one "end". Tensors are identified by name; each name has
// one producer (in-place layers of Caffe get a name of their own: see blob_names). Layers that move
// nothing (Dropout, Split, Silence) are removed. Reshape and Flatten stay as "tg_reshape", which
// costs nothing.
//
// Extents: shapes are Caffe's. If an operation needs (n,c,h,w), missing trailing axes are 1.
#pragma once

#include <bmnet/bmnet.pb.h>
#include <array>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "bmnet/ir/ops.h"
#include "chip/dtype.h"

namespace tputwin::net {

using TensorShape = ::bmnet::BlobShape;

// Values of a tensor or of a weight blob, in Caffe's order. Quantized weights are floats too, with
// integer values, as in the int8 caffemodel.
struct Blob {
  std::vector<int64_t> shape;
  std::vector<float> data;
};

struct Network {
  std::string name;
  std::vector<TensorOp> ops;
  // Weights by op name, in Caffe's order and layout.
  // Convolution: (OC, IC/group, KH, KW) and bias. Deconvolution: (IC, OC/group, KH, KW).
  // Inner product: (N, K), or (K, N) if weight_transpose is false. Batchnorm: mean, variance,
  // factor. Scale: scale, bias. PReLU: slopes. Norm: scale.
  std::map<std::string, std::vector<Blob>, std::less<>> blobs;
  // Maps a tensor to its name in the Caffe or ONNX net, if that differs.
  std::map<std::string, std::string, std::less<>> blob_names;

  // Extents of outputs in the ONNX net, by their names there, if the tensors have others: tensors
  // have one to four axes.
  std::map<std::string, std::vector<int64_t>, std::less<>> output_dims;

  // Types of inputs that are bytes or booleans in the ONNX net. Their elements are their values.
  std::map<std::string, DType, std::less<>> byte_inputs;

  const std::string& blob_name(const std::string& tensor) const;
  // Returns the op that produces a tensor; nullptr if there is none.
  const TensorOp* producer(std::string_view tensor) const;
  // True if any op reads the tensor, "end" included.
  bool is_read(std::string_view tensor) const;
  const TensorShape* shape_of(std::string_view tensor) const;
  std::vector<std::string> inputs() const;   // tensors of the "start" ops
  std::vector<std::string> outputs() const;  // bottoms of "end"
};

// ---- Shapes ----

struct Extents {
  int64_t n = 1, c = 1, h = 1, w = 1;
  int64_t count() const { return n * c * h * w; }
  bool operator==(const Extents&) const = default;
};

Extents extents(const TensorShape& shape);  // The shape must have at most four axes.
int64_t count(const TensorShape& shape);
std::vector<int64_t> dims(const TensorShape& shape);
TensorShape make_shape(const std::vector<int64_t>& dims, int data_type_size = 1);
std::string describe(const TensorShape& shape);  // "(1,3,12,12)"

// ---- Parameters in the form that operations use ----

struct Window2d {
  int kernel_h = 1, kernel_w = 1, stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1;
  int pad_top = 0, pad_bottom = 0, pad_left = 0, pad_right = 0;
  int ins_h = 0, ins_w = 0;  // zeros between inputs
};

// Returns true if `op` is a tg_convolution whose `ins` has two values. convolution_window() then
// returns the window of the equivalent convolution: stride - 1 zeros between inputs, stride 1,
// kernel rotated by 180 degrees.
bool is_deconvolution(const TensorOp& op);
// tg_convolution with group == input == output channels
bool is_depthwise(const TensorOp& op);
Window2d convolution_window(const TensorOp& op);
Window2d pooling_window(const TensorOp& op);

// Rows and columns by which the last windows of an average reach beyond Caffe's padded input. Caffe
// does not count these taps. Caffe pads both ends equally with pad_top and pad_left; pad_bottom and
// pad_right are what the last window needs.
struct Overhang {
  int h = 0, w = 0;
  bool any() const { return h > 0 || w > 0; }
};
Overhang average_overhang(const TensorOp& op);
// Returns true if `op` is a tg_eltwise PROD of (n,c,h,w) and (n,c,1,1): one factor per channel.
bool is_channel_product(const TensorOp& op);

// Returns the kernel of the equivalent convolution as (OC, IC/group, KH, KW), for any layout of the
// blob.
std::vector<float> convolution_kernel(const TensorOp& op, const Blob& weight);
// Returns the matrix as (N, K), for any layout of the blob.
std::vector<float> inner_product_matrix(const TensorOp& op, const Blob& weight);

// Checks what later stages rely on: one producer per tensor, topological order, shapes present,
// extents at least 1 and products below 2^31, parameter message of the type present.
// Errors name the layer and the rule.
Status verify(const Network& network);

}  // namespace tputwin::net
