// A Caffe graph, layer by layer. Functions add a layer and return its top, which has the layer's
// name, or the bottom's where the layer works in place.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "classics/classics.h"

namespace tputwin::models {

using Name = std::string;
using Names = std::vector<std::string>;

struct Conv {
  int outputs, kernel = 1, stride = 1, pad = 0, group = 1;
  bool bias = true;
};

class Graph {
 public:
  explicit Graph(const Name& name) { net.set_name(name); }

  Name input(std::initializer_list<int> dims, const Name& name = "data");
  Name conv(const Name& name, const Name& bottom, const Conv& conv);
  Name fc(const Name& name, const Name& bottom, int outputs);
  Name relu(const Name& name, const Name& bottom, float slope = 0);
  Name max_pool(const Name& name, const Name& bottom, int kernel, int stride, int pad = 0);
  Name ave_pool(const Name& name, const Name& bottom, int kernel, int stride);
  Name global_pool(const Name& name, const Name& bottom);
  Name lrn(const Name& name, const Name& bottom);
  Name dropout(const Name& name, const Name& bottom);
  Name add(const Name& name, const Name& a, const Name& b);
  Name concat(const Name& name, const Names& bottoms, int axis = 1);
  Name softmax(const Name& name, const Name& bottom, int axis = 1);
  Name flatten(const Name& name, const Name& bottom);
  // In place: BatchNorm and Scale with bias.
  Name norm(const Name& name, const Name& bottom);

  Name conv_relu(const Name& name, const Name& bottom, const Conv& conv);
  // Convolution without bias, BatchNorm, Scale.
  Name conv_norm(const Name& name, const Name& bottom, const Conv& conv);
  Name conv_norm_relu(const Name& name, const Name& bottom, const Conv& conv, float slope = 0);

  // Any other layer, to be given its parameters.
  caffe::LayerParameter& layer(const Name& name, const Name& type, const Names& bottoms);

  caffe::NetParameter net;

 private:
  Name in_place(const Name& name, const Name& type, const Name& bottom);
};

}  // namespace tputwin::models
