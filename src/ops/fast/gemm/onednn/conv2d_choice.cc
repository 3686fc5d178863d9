// The cost of a convolution in the library: products, and bytes whose layout changes.
#include "ops/fast/gemm/onednn/conv2d_choice.h"

#include "ops/conv/conv2d_bm1880.h"

namespace tputwin::fast {

Conv2dWork work_of(const Conv2dBm1880& op) {
  const Shape &in = op.in.shape, &out = op.out.shape, &kernel = op.weight.shape;
  const auto padded = [](const Axis& axis, uint32_t outputs) {
    return uint64_t{outputs - 1} * axis.stride + axis.reach();
  };
  const uint64_t weights = uint64_t{in.c} * out.c * kernel.h * kernel.w;
  const uint64_t pixels = padded(op.window.h, out.h) * padded(op.window.w, out.w);
  return {.macs = weights * out.n * out.h * out.w,
          .moved_bytes = in.n * pixels * in.c + weights + out.count()};
}

}  // namespace tputwin::fast
