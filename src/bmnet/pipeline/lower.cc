// Pass lower: converts layers to kernels.
#include "bmnet/kernels/lower_op.h"
#include "bmnet/kernels/pricer.h"
#include "bmnet/pipeline/compilation.h"
#include "bmnet/pipeline/passes.h"

namespace tputwin::net::pass {

Status lower(Compilation& c) {
  c.pricer = std::make_unique<Bm1880Pricer>();
  for (size_t i = 0; i < c.net.network.ops.size(); ++i) {
    TW_ASSIGN_OR_RETURN(lowered, lower_op(c.net.network, i, c.net.integers[i]));
    for (KernelPtr& kernel : lowered) {
      c.last_kernel_of[i] = c.kernels.size();
      c.kernels.push_back(std::move(kernel));
    }
  }
  return {};
}

}  // namespace tputwin::net::pass
