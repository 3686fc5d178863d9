// Pass float_outputs: converts outputs of ONNX nets to floats if their parts have very different
// ranges.
#include "bmnet/integers/float_outputs.h"

#include <algorithm>

#include "bmnet/caffe/operation.h"
#include "bmnet/pipeline/compilation.h"
#include "bmnet/pipeline/passes.h"

namespace tputwin::net::pass {

// Caffe nets keep the element types of their outputs: programs of the vendor's SDK rely on them.
Status float_outputs(Compilation& c) {
  if (std::ranges::any_of(c.caffe.layer(), is_operation))
    make_mixed_outputs_float(c.network, c.table);
  return {};
}

}  // namespace tputwin::net::pass
