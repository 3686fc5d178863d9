// pool2d of the BM1684X, floating point: vectors along the rows of a channel.
#include "ops/contract/body_steps.h"
#include "ops/fast/fast.h"
#include "ops/fast/select/isa.h"
#include "ops/fast/window/cell_planes.h"
#include "ops/pool/pool2d_bm1684x_float.h"

namespace tputwin::fast {

bool execute(const Pool2dBm1684xFloat& op, const Memory& memory) {
  const CellJob job{op.window, op.in, op.out, memory};
  if (!vectors_enabled() || !cell_planes_covered(job)) return false;
  const bool maximum = op.kind == Pool2dBm1684xFloat::Kind::maximum;
  const CellKernels kernels = cell_kernels();
  const float value = float_value(op.value, op.in.dtype);
  const std::vector<float> factors(size_t{op.window.h.kernel} * op.window.w.kernel, value);
  const uint32_t outside = maximum ? f32::bits(value) : 0;
  for_each_cell_plane(
      job, kernels,
      [&](uint32_t) {
        return std::pair{outside, outside};
      },
      [&](const CellRun& run, uint32_t) {
        return maximum ? kernels.largest(run, op.in.dtype)
                       : kernels.sum(run, factors.data(), {-0.0f, -0.0f}, op.in.dtype);
      },
      [&](uint32_t n, uint32_t c, uint32_t y, uint32_t x) {
        memory.write(op.out, n, c, y, x, static_cast<int32_t>(result_at(op, memory, n, c, y, x)));
      });
  return true;
}

}  // namespace tputwin::fast
