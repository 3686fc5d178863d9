// pool2d of the BM1684X, 8 bits: vectors along the rows of a channel.
#include "ops/fast/fast.h"
#include "ops/fast/select/isa.h"
#include "ops/fast/window/cell_planes.h"
#include "ops/pool/pool2d_bm1684x_int8.h"

namespace tputwin::fast {

bool execute(const Pool2dBm1684xInt8& op, const Memory& memory) {
  const CellJob job{op.window, op.in, op.out, memory};
  const size_t taps = size_t{op.window.h.kernel} * op.window.w.kernel;
  if (!vectors_enabled() || !cell_planes_covered(job) || op.multiplier > 255) return false;
  const bool maximum = op.kind == Pool2dBm1684xInt8::Kind::maximum;
  const CellKernels kernels = cell_kernels();
  const std::vector<int32_t> factors(taps, static_cast<int32_t>(op.multiplier));
  const Quantisation quantisation =
      quantisation_of(/*relu=*/false, op.rshift, Rounding::half_up, op.out.dtype);
  const uint32_t outside = maximum ? static_cast<uint32_t>(op.padding) : 0;
  for_each_cell_plane(
      job, kernels,
      [&](uint32_t) {
        return std::pair{outside, outside};
      },
      [&](const CellRun& run, uint32_t) {
        if (maximum)
          kernels.integer_largest(run);
        else
          kernels.integer_sum(run, factors.data(), 0, quantisation);
        return false;
      },
      [](uint32_t, uint32_t, uint32_t, uint32_t) {});
  return true;
}

}  // namespace tputwin::fast
