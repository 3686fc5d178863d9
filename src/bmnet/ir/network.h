// Network: a net in the compiler's intermediate representation, with its weights.
//
// `ops` are the TensorOps of the documents in an order in which every input is made before it is
// used: one "start" per input, the layers, one "end". Tensors are known by name; each name has one
// producer (in-place layers of Caffe get a name of their own: see blob_names). Layers that move
// nothing (Dropout, Split, Silence) are gone; Reshape and Flatten stay as "tg_reshape", which costs
// nothing.
//
// Extents: shapes are Caffe's. Where an operation wants (n,c,h,w), missing axes at the end are 1.
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
  // Weights by op name, in Caffe's order and layout: convolution (OC, IC/group, KH, KW) and bias;
  // deconvolution (IC, OC/group, KH, KW); inner product (N, K), or (K, N) if weight_transpose is
  // false; batchnorm mean, variance, factor; scale, bias; prelu slopes; norm scale.
  std::map<std::string, std::vector<Blob>, std::less<>> blobs;
  // The name in the Caffe or ONNX net of a tensor whose name differs from it.
  std::map<std::string, std::string, std::less<>> blob_names;

  const std::string& blob_name(const std::string& tensor) const;
  // The op that makes a tensor; nullptr if none does.
  const TensorOp* producer(std::string_view tensor) const;
  bool is_read(std::string_view tensor) const;  // by any op, "end" among them
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

Extents extents(const TensorShape& shape);  // of at most four axes
int64_t count(const TensorShape& shape);
std::vector<int64_t> dims(const TensorShape& shape);
TensorShape make_shape(const std::vector<int64_t>& dims, int data_type_size = 1);
std::string describe(const TensorShape& shape);  // "(1,3,12,12)"

// ---- Parameters in the form operations use them ----

struct Window2d {
  int kernel_h = 1, kernel_w = 1, stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1;
  int pad_top = 0, pad_bottom = 0, pad_left = 0, pad_right = 0;
  int ins_h = 0, ins_w = 0;  // zeros between inputs
};

// A deconvolution is the tg_convolution whose `ins` has two values: stride - 1 zeros between
// inputs, stride 1, kernel flipped. window_of gives the window of that convolution.
bool is_deconvolution(const TensorOp& op);
bool is_depthwise(const TensorOp& op);  // tg_convolution with group == input == output channels
Window2d convolution_window(const TensorOp& op);
Window2d pooling_window(const TensorOp& op);

// What the last windows of an average hang over the padded input, in rows and columns: taps that
// Caffe does not count. A pooling's pads in front are Caffe's, which stand behind the input, too;
// those behind it are what the last window needs.
struct Overhang {
  int h = 0, w = 0;
  bool any() const { return h > 0 || w > 0; }
};
Overhang average_overhang(const TensorOp& op);
// A tg_eltwise PROD of (n,c,h,w) and (n,c,1,1), one value for a channel.
bool is_channel_product(const TensorOp& op);

// The kernel of the equivalent convolution, (OC, IC/group, KH, KW), whatever the blob's layout.
std::vector<float> convolution_kernel(const TensorOp& op, const Blob& weight);
// (N, K) whatever the blob's layout.
std::vector<float> inner_product_matrix(const TensorOp& op, const Blob& weight);

// Checks what every later stage relies on: one producer per tensor, order, shapes present, extents
// at least 1 and below 2^31 in all, parameter message of the type present. Names layer and rule.
Status verify(const Network& network);

}  // namespace tputwin::net
