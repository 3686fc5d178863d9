// Runs convolutions over all input channels on the fast kernels. Inputs become planes of 32-bit
// cells (window/planes.h), in which the cells under a tap of neighbouring results are contiguous.
// Tiles (tiles.h) go over them: columns are positions of the output planes of all images, rows are
// output channels.
#pragma once

#include <memory>

#include "ops/contract/window.h"
#include "ops/fast/dispatch/fast_kernel.h"
#include "ops/fast/gemm/epilogue/plane_results.h"
#include "ops/fast/gemm/packing/constant_restorer.h"
#include "ops/fast/gemm/packing/plane_input.h"
#include "ops/fast/gemm/packing/plane_weights.h"
#include "ops/fast/gemm/run/plane_products.h"

namespace tputwin::fast {

// The parts of a convolution that depend on its kind of operands.
struct ConvolutionParts {
  PlaneInput& input;
  const PlaneWeights& weights;
  PlaneProducts& products;
  PlaneResults& results;
  ConstantRestorer& restorer;
  // Depth of the matrix tiles that `products` uses; 0: none (tile_order.h).
  size_t tile_depth = 0;
};

// A convolution whose constants may be packed once for many runs.
class PlaneConvolution {
 public:
  virtual ~PlaneConvolution() = default;
  virtual void pack(PlaneConstants& constants) = 0;
  virtual void run(PlaneConstants& constants) = 0;
};
// Returns nullptr if convolve() would decline. The arguments, and what the parts refer to, must
// outlive the result.
std::unique_ptr<PlaneConvolution> prepare_convolution(const ConvolutionParts& parts,
                                                      const Window& window, const TensorView& in,
                                                      const Shape& out);

// Runs the convolution. Declines windows that are not laid out and copies that would be too large.
Declined convolve(const ConvolutionParts& parts, const Window& window, const TensorView& in,
                  const Shape& out);

// Returns a 1x1 convolution of whole planes as one of single long rows, so that results are
// contiguous.
template <class Op>
Op with_long_rows(Op op) {
  const Axis point;
  auto is_whole = [](const TensorView& v) {
    return v.stride.w == run_bytes(v) && v.stride.h == v.shape.w * v.stride.w;
  };
  if (op.window.h != point || op.window.w != point || !is_whole(op.in) || !is_whole(op.out) ||
      op.in.shape.h != op.out.shape.h)
    return op;
  for (TensorView* view : {&op.in, &op.out}) {
    view->shape.w *= view->shape.h;
    view->shape.h = 1;
  }
  return op;
}

}  // namespace tputwin::fast
