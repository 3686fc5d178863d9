// Pass float_tensors: tensors that the host makes and reads hold floats (integers/float_tensors.h).
#include "bmnet/integers/float_tensors.h"

#include <algorithm>

#include "bmnet/caffe/operation.h"
#include "bmnet/pipeline/compilation.h"
#include "bmnet/pipeline/passes.h"

namespace tputwin::net::pass {

Status float_tensors(Compilation& c) {
  const bool is_onnx = std::ranges::any_of(c.caffe.layer(), is_operation);
  use_floats(c.network, c.table, is_onnx ? FloatOutputs::allowed : FloatOutputs::kept);
  return {};
}

}  // namespace tputwin::net::pass
