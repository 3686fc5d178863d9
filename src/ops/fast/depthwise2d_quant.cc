// depthwise2d of the BM1684X, 8 bits: vectors along the rows of a channel.
#include "ops/contract/body_steps.h"
#include "ops/contract/taps.h"
#include "ops/conv/depthwise2d_bm1684x_int8.h"
#include "ops/fast/fast.h"
#include "ops/fast/select/isa.h"
#include "ops/fast/window/cell_planes.h"

namespace tputwin::fast {
namespace {

// Sums of at most 2^13 products stay inside 32 bits beside such a bias.
constexpr int64_t kMaxBias = int64_t{1} << 30;

const int32_t* load_weights(const Depthwise2dBm1684xInt8& op, const Memory& memory, uint32_t c) {
  const Window& window = op.window;
  thread_local Scratch scratch;
  int32_t* weights = scratch.take<int32_t>(size_t{window.h.kernel} * window.w.kernel);
  int32_t* to = weights;
  for (uint32_t kh = 0; kh < window.h.kernel; ++kh)
    for (uint32_t kw = 0; kw < window.w.kernel; ++kw) {
      const auto at = weight_place(window, op.is_turned, kh, kw);
      *to++ = op.weight.read(memory, 0, c, at.h, at.w);
    }
  return weights;
}

int64_t bias_number(const Depthwise2dBm1684xInt8& op, const Memory& memory, uint32_t c) {
  return op.bias ? integer_value(memory.read(*op.bias, 0, c, 0, 0), op.bias->dtype) : 0;
}

bool biases_fit(const Depthwise2dBm1684xInt8& op, const Memory& memory) {
  for (uint32_t c = 0; c < op.out.shape.c; ++c)
    if (const int64_t bias = bias_number(op, memory, c); bias < -kMaxBias || bias > kMaxBias)
      return false;
  return true;
}

}  // namespace

bool execute(const Depthwise2dBm1684xInt8& op, const Memory& memory) {
  const CellJob job{op.window, op.in, op.out, memory};
  auto apart = [&](const auto& operand) { return patch_operand(operand, op.out, memory.local); };
  if (!vectors_enabled() || !cell_planes_covered(job) || !apart(op.weight) || !apart(op.padding) ||
      !apart(op.insertion) || (op.bias && !apart(*op.bias)) || !biases_fit(op, memory))
    return false;
  const CellKernels kernels = cell_kernels();
  const Quantisation quantisation = quantisation_of(op.relu, op.rshift, op.rounding, op.out.dtype);
  for_each_cell_plane(
      job, kernels,
      [&](uint32_t c) {
        return std::pair{static_cast<uint32_t>(op.padding.read(memory, 0, c, 0, 0)),
                         static_cast<uint32_t>(op.insertion.read(memory, 0, c, 0, 0))};
      },
      [&](const CellRun& run, uint32_t c) {
        kernels.integer_sum(run, load_weights(op, memory, c),
                            static_cast<int32_t>(bias_number(op, memory, c)), quantisation);
        return false;
      },
      [](uint32_t, uint32_t, uint32_t, uint32_t) {});
  return true;
}

}  // namespace tputwin::fast
