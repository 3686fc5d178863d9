// Finds the planes of results.
#include "ops/fast/gemm/epilogue/plane_results.h"

#include "ops/fast/walk/copy.h"

namespace tputwin::fast {

void PlaneResults::find_planes() {
  const TensorView& v = *out_;
  has_whole_planes_ = has_dense_rows(v) && (v.shape.h == 1 || v.stride.h == v.shape.w);
  planes_.resize(size_t{v.shape.n} * v.shape.c);
  for (uint32_t n = 0; n < v.shape.n; ++n)
    channels_from(memory_.byte(v, n, 0, 0, 0), v, memory_,
                  std::span(planes_).subspan(size_t{n} * v.shape.c, v.shape.c));
}

}  // namespace tputwin::fast
