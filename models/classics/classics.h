// The well-known networks, with random weights: their graphs as published, weights such that
// activations keep their size from layer to layer.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "bmnet/caffe/caffe_net.h"

namespace tputwin::models {

namespace caffe = ::tputwin::caffe;

struct Classic {
  std::string_view name;
  caffe::NetParameter (*graph)();
};
std::span<const Classic> classics();

// Graph and weights. The same seed makes the same weights everywhere.
Result<caffe::NetParameter> make_classic(std::string_view name, uint64_t seed = 1);
// Weights for every layer of a graph that has any: He's for convolutions and inner products,
// statistics near what the layers before make for BatchNorm.
Status fill_weights(caffe::NetParameter& net, uint64_t seed);

caffe::NetParameter alexnet();
caffe::NetParameter vgg16();
caffe::NetParameter googlenet();
caffe::NetParameter squeezenet();
caffe::NetParameter resnet18();
caffe::NetParameter resnet50();
caffe::NetParameter mobilenet_v1();
caffe::NetParameter mobilenet_v2();
caffe::NetParameter ssd_mobilenet();
caffe::NetParameter yolo_v2_tiny();
caffe::NetParameter yolo_v3_tiny();

}  // namespace tputwin::models
