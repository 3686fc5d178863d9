// A net computed by tputwin and by OpenCV's Caffe importer.
#pragma once

#include <map>
#include <string>

#include "bmnet/caffe/caffe_net.h"
#include "bmnet/float/execute.h"

namespace tputwin::net::testing {

// Shapes for random weights of a graph: those of each layer's weights, by layer name.
using BlobShapes = std::map<std::string, std::vector<std::vector<int64_t>>>;
caffe::NetParameter random_net(const std::string& prototxt, const BlobShapes& blobs, uint64_t seed);

// Runs both with random inputs; every output must agree within `tolerance` of its largest value.
void expect_as_opencv(const caffe::NetParameter& net, uint64_t seed, float tolerance = 1e-4f,
                      int64_t batch = 0);

}  // namespace tputwin::net::testing
