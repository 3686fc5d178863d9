// Refusal of int8 nets where a float net is wanted.
#include "bmnet/calibrate/float_weights.h"

#include <algorithm>
#include <cmath>

#include "base/errors/bmnet.h"

namespace tputwin::net {
namespace {

// Right shifts bring the largest weight of a layer to 64 or more. Hand-made float nets of small
// integers stay below.
constexpr float kLeastMaximum = 64, kMostWeight = 128;

bool is_integer(float value) { return value == std::trunc(value); }

bool computes(const caffe::LayerParameter& layer) {
  return layer.type() == "Convolution" || layer.type() == "InnerProduct" ||
         layer.type() == "Deconvolution";
}

}  // namespace

Status check_float_weights(const caffe::NetParameter& net) {
  for (const caffe::LayerParameter& layer : net.layer())
    if (layer.on_host())
      return Error(errors::net_already_int8)
          .in(net.name())
          .detail("layer " + layer.name() +
                  " is left to the host, and the others are int8; give the float net from which it "
                  "was made, or pass this one with its table to tputwin compile");
  float largest = 0;
  for (const caffe::LayerParameter& layer : net.layer()) {
    if (!computes(layer)) continue;
    for (const caffe::BlobProto& blob : layer.blobs())
      if (blob.double_data_size() != 0 || !std::ranges::all_of(blob.data(), is_integer)) return {};
    if (layer.blobs_size() == 0) continue;
    for (const float weight : layer.blobs(0).data()) largest = std::max(largest, std::fabs(weight));
  }
  if (largest < kLeastMaximum || largest > kMostWeight) return {};
  return Error(errors::net_already_int8)
      .in(net.name())
      .detail("all its weights are integers, up to " + std::to_string(static_cast<int>(largest)) +
              "; give the float net from which it was made, or pass this one with its table to "
              "tputwin compile");
}

}  // namespace tputwin::net
