// depthwise2d of the BM1684X, floating point: vectors along the rows of a channel.
#include "ops/contract/body_steps.h"
#include "ops/contract/taps.h"
#include "ops/conv/depthwise2d_bm1684x_float.h"
#include "ops/fast/fast.h"
#include "ops/fast/select/isa.h"
#include "ops/fast/window/cell_planes.h"

namespace tputwin::fast {
namespace {

const float* load_weights(const Depthwise2dBm1684xFloat& op, const Memory& memory, uint32_t c) {
  const Window& window = op.window;
  thread_local Scratch scratch;
  float* weights = scratch.take<float>(size_t{window.h.kernel} * window.w.kernel);
  float* to = weights;
  for (uint32_t kh = 0; kh < window.h.kernel; ++kh)
    for (uint32_t kw = 0; kw < window.w.kernel; ++kw) {
      const auto at = weight_place(window, op.is_turned, kh, kw);
      *to++ = read_float(memory, op.weight, 0, c, at.h, at.w);
    }
  return weights;
}

}  // namespace

bool execute(const Depthwise2dBm1684xFloat& op, const Memory& memory) {
  const CellJob job{op.window, op.in, op.out, memory};
  const LocalMemory& local = memory.local;
  if (!vectors_enabled() || !cell_planes_covered(job) || !patch_operand(op.weight, op.out, local) ||
      (op.bias && !patch_operand(*op.bias, op.out, local)))
    return false;
  const CellKernels kernels = cell_kernels();
  for_each_cell_plane(
      job, kernels,
      [](uint32_t) {
        return std::pair<uint32_t, uint32_t>{0, 0};
      },
      [&](const CellRun& run, uint32_t c) {
        const float bias = op.bias ? read_float(memory, *op.bias, 0, c, 0, 0) : 0.0f;
        return kernels.sum(run, load_weights(op, memory, c), {0.0f, bias}, op.in.dtype);
      },
      [&](uint32_t n, uint32_t c, uint32_t y, uint32_t x) {
        write_float(memory, op.out, n, c, y, x, result_at(op, memory, n, c, y, x));
      });
  return true;
}

}  // namespace tputwin::fast
