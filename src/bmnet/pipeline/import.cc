// Pass import: Caffe's files to a Network.
#include "bmnet/pipeline/compilation.h"
#include "bmnet/pipeline/passes.h"

namespace tputwin::net::pass {

Status import(Compilation& c) {
  TW_ASSIGN_OR_RETURN(caffe, load_caffe(c.source.prototxt, c.source.caffemodel));
  c.caffe = std::move(caffe);
  TW_ASSIGN_OR_RETURN(network, import_caffe(c.caffe, c.source.import));
  c.network = std::move(network);
  return {};
}

}  // namespace tputwin::net::pass
