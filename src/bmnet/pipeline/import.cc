// Pass import: files to a Network.
#include "bmnet/onnx/load.h"
#include "bmnet/pipeline/compilation.h"
#include "bmnet/pipeline/passes.h"

namespace tputwin::net::pass {

Status import(Compilation& c) {
  TW_ASSIGN_OR_RETURN(loaded, load_net(c.source.prototxt, c.source.caffemodel, c.source.import));
  c.caffe = std::move(loaded.net);
  c.own_thresholds = std::move(loaded.thresholds);
  c.own_table = std::move(loaded.table);
  c.is_onnx = loaded.is_onnx;
  TW_ASSIGN_OR_RETURN(network, import_caffe(c.caffe, c.source.import));
  c.network = std::move(network);
  return {};
}

}  // namespace tputwin::net::pass
