// Pass import: reads files into a Network.
#include <algorithm>

#include "bmnet/onnx/load.h"
#include "bmnet/pipeline/compilation.h"
#include "bmnet/pipeline/passes.h"

namespace tputwin::net::pass {
namespace {

// Adds the blobs of `more` that have no entry in the table.
void add_missing(NetCalibrationParameter& table, const NetCalibrationParameter& more) {
  for (const LayerCalibrationParameter& entry : more.layer()) {
    auto* layers = table.mutable_layer();
    const auto own = std::ranges::find_if(
        *layers, [&](const LayerCalibrationParameter& l) { return l.name() == entry.name(); });
    if (own == layers->end())
      *table.add_layer() = entry;
    else
      own->mutable_blob_param()->MergeFrom(entry.blob_param());
  }
}

}  // namespace

Status import(Compilation& c) {
  TW_ASSIGN_OR_RETURN(loaded, load_net(c.source.prototxt, c.source.caffemodel, c.source.import));
  c.caffe = std::move(loaded.net);
  c.own_thresholds = std::move(loaded.thresholds);
  add_missing(c.own_thresholds, loaded.threshold_bounds);
  c.own_table = std::move(loaded.table);
  c.is_onnx = loaded.is_onnx;
  c.joined_ends = std::move(loaded.joined_ends);
  c.source.import = loaded.left_of(std::move(c.source.import));
  TW_ASSIGN_OR_RETURN(network, import_caffe(c.caffe, c.source.import));
  c.network = std::move(network);
  return {};
}

}  // namespace tputwin::net::pass
