// Pass fold: folds BatchNorm and Scale of float nets into the layers before them.
#include "bmnet/pipeline/compilation.h"
#include "bmnet/pipeline/passes.h"
#include "bmnet/quantize/quantize.h"

namespace tputwin::net::pass {

// A net to be calibrated is float and not yet imported: calibration chooses its batch.
Status fold(Compilation& c) {
  const bool is_imported = !c.network.ops.empty();
  // Only nets of the BM1880 may have weights of int8.
  const bool has_none = c.source.chip != ChipFamily::bm1880 && !has_weights(c.network);
  c.is_float = !is_imported || c.is_onnx || has_none || has_float_weights(c.network);
  if (!c.is_float) return {};
  TW_ASSIGN_OR_RETURN(folded, fold_batch_norm(std::move(c.caffe)));
  c.caffe = std::move(folded);
  if (!is_imported) return {};
  TW_ASSIGN_OR_RETURN(network, import_caffe(c.caffe, c.source.import));
  c.network = std::move(network);
  return {};
}

}  // namespace tputwin::net::pass
