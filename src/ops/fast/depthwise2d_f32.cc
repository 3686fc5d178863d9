// depthwise2d of fp32: vectors along the rows of a channel.
#include "ops/conv/depthwise2d_bm1684.h"
#include "ops/fast/fast.h"
#include "ops/fast/select/isa.h"
#include "ops/fast/window/sums.h"

namespace tputwin::fast {
namespace {

bool covered(const Depthwise2dBm1684& op, const LocalMemory& local) {
  const uint32_t channels = op.out.shape.c;
  auto read_only = [&](const TensorView& view, const Shape& shape) {
    return has_words(view) && view.shape == shape && apart(op.out, view, local);
  };
  return planes_covered(op.window, op.in, op.out, local) &&
         read_only(op.weight, {1, channels, op.window.h.kernel, op.window.w.kernel}) &&
         (!op.bias || read_only(*op.bias, {1, channels, 1, 1}));
}

const float* load_weights(const TensorView& weight, const Memory& memory, uint32_t c) {
  const Shape& s = weight.shape;
  thread_local Scratch scratch;
  float* weights = scratch.take<float>(uint64_t{s.h} * s.w);
  const uint8_t* first = memory.byte(weight, 0, c, 0, 0);
  for (uint64_t kh = 0; kh < s.h; ++kh)
    for (uint64_t kw = 0; kw < s.w; ++kw)
      weights[kh * s.w + kw] =
          Memory::load<float>(first + kh * weight.stride.h + kw * weight.stride.w);
  return weights;
}

}  // namespace

bool execute(const Depthwise2dBm1684& op, const Memory& memory) {
  if (!vectors_enabled() || !covered(op, memory.local)) return false;
  const WindowKernels kernels = window_kernels();
  for_each_plane(
      op.window, op.in, op.out, 0.0f, memory,
      [&](const WindowRun& run, uint32_t, uint32_t c) {
        const float bias = op.bias ? memory.read_f32(*op.bias, 0, c, 0, 0) : 0.0f;
        return kernels.sum(run, load_weights(op.weight, memory, c), op.bias ? &bias : nullptr);
      },
      [&](uint32_t n, uint32_t c, uint32_t y, uint32_t x) {
        return result_at(op, memory, n, c, y, x);
      });
  return true;
}

}  // namespace tputwin::fast
