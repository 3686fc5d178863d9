// The results of Caffe's layers in the test phase, in plain loops and independent of the product.
// They follow the definitions of Caffe (BVLC's master) and its SSD fork, for comparison with the
// product.
#pragma once

#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "bmnet_caffe_values/values.h"

namespace tputwin::net::testing {

struct Tensor {
  Shape shape;
  Floats data;

  Tensor() = default;
  explicit Tensor(Shape extents);
  int64_t axes() const { return static_cast<int64_t>(shape.size()); }
  // Returns the product of the extents of the axes first, first + 1 ... end - 1.
  int64_t count(int64_t first, int64_t end) const;
  int64_t count(int64_t first = 0) const { return count(first, axes()); }
  // -1 is the last axis.
  int64_t axis(int64_t index) const { return index < 0 ? index + axes() : index; }
  // Returns an extent; 1 after the last axis.
  int64_t extent(int64_t index) const {
    return index < axes() ? shape[static_cast<size_t>(index)] : 1;
  }
};

using Layer = caffe::LayerParameter;
using Tensors = std::vector<Tensor>;
using LayerFunction = std::function<Tensors(const Layer& layer, const Tensors& in)>;
using LayerFunctions = std::map<std::string, LayerFunction>;

// The blob of a layer.
Floats blob_of(const Layer& layer, int index);

LayerFunctions window_layers();      // convolutions, products, pooling, LRN
LayerFunctions value_layers();       // functions of single values, factors, sums
LayerFunctions statistics_layers();  // normalizations, reductions, Softmax
LayerFunctions move_layers();        // layers that move elements
LayerFunctions box_layers();         // PriorBox and DetectionOutput

Tensors run_layer(const Layer& layer, const Tensors& in);
// Returns all blobs of the net at its end, by name.
std::map<std::string, Tensor> run_caffe(const caffe::NetParameter& net, const Values& inputs);

}  // namespace tputwin::net::testing
