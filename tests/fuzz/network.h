// Checks that every Caffe net must pass, whatever its content.
#pragma once

#include <string>

#include "base/errors/bmnet.h"
#include "bmnet/caffe/import.h"

namespace tputwin::fuzz {

// Imports a net and its folded form; an error is a valid result.
inline std::string import_all(const ::tputwin::caffe::NetParameter& caffe_net, bool needs_weights) {
  const net::ImportOptions options{.needs_weights = needs_weights};
  auto network = net::import_caffe(caffe_net, options);
  if (network.ok() && !net::verify(*network).ok()) return "an imported network is not in order";
  auto folded = net::fold_batch_norm(caffe_net);
  if (!folded.ok()) return "";
  for (const auto& layer : folded->layer())
    if (layer.type() == "BatchNorm" && layer.bottom_size() == 1 && layer.top_size() == 1)
      return "a folded net has BatchNorm";
  auto again = net::import_caffe(*folded, options);
  // Products of weights may overflow.
  if (network.ok() && !again.ok() && again.error().id() != errors::net_blob_value)
    return "the folded net is refused: " + again.error().message();
  return "";
}

}  // namespace tputwin::fuzz
