// pool2d of fp32: vectors along the rows of a channel.
#include "numerics/float32.h"
#include "ops/fast/fast.h"
#include "ops/fast/select/isa.h"
#include "ops/fast/window/sums.h"
#include "ops/pool/pool2d_bm1684.h"

namespace tputwin::fast {

bool execute(const Pool2dBm1684& op, const Memory& memory) {
  if (!vectors_enabled() || !planes_covered(op.window, op.in, op.out, memory.local)) return false;
  const WindowKernels kernels = window_kernels();
  auto redo = [&](uint32_t n, uint32_t c, uint32_t y, uint32_t x) {
    return result_at(op, memory, n, c, y, x);
  };
  if (op.kind == Pool2dBm1684::Kind::maximum) {
    auto run = [&](const WindowRun& run, uint32_t, uint32_t) {
      kernels.maximum(run);
      return false;
    };
    for_each_plane(op.window, op.in, op.out, f32::kLowest, memory, run, redo);
  } else {
    const std::vector<float> shares(size_t{op.window.h.kernel} * op.window.w.kernel,
                                    share_of(op.window));
    auto run = [&](const WindowRun& run, uint32_t, uint32_t) {
      return kernels.sum(run, shares.data(), nullptr);
    };
    for_each_plane(op.window, op.in, op.out, 0.0f, memory, run, redo);
  }
  return true;
}

}  // namespace tputwin::fast
