// Softmax along an axis.
#include "bmnet/cpu_ops/operator.h"

namespace tputwin::net::cpu {

Status softmax(const Call& call) {
  TW_RETURN_IF_ERROR(require(call, 1, true));
  TW_ASSIGN_OR_RETURN(view, view_axis(call, call.in[0].shape, call.op.tg_softmax_param().axis()));
  for (int64_t o = 0; o < view.outer; ++o)
    for (int64_t i = 0; i < view.inner; ++i) {
      const int64_t at = o * view.extent * view.inner + i;
      softmax(call.in[0].data + at, call.out[0].data + at, view.extent, view.inner);
    }
  return {};
}

}  // namespace tputwin::net::cpu
