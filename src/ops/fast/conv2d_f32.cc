// conv2d of fp32: both operands are copied in the order in which register tiles read them.
#include "ops/fast/conv2d_f32.h"

#include "base/bits.h"
#include "ops/fast/fast.h"
#include "ops/fast/isa.h"
#include "ops/fast/window_plane.h"

namespace tputwin::fast {
namespace {

constexpr uint64_t kMaxTerms = 1 << 20;

bool covered(const Conv2dF32& op, const LocalMemory& local) {
  const Shape &in = op.in.shape, &out = op.out.shape;
  const Shape weight{in.c, out.c, op.window.h.kernel, op.window.w.kernel};
  const bool words = has_words(op.out) && has_words(op.in) && has_words(op.weight) &&
                     (!op.bias || (has_words(*op.bias) && op.bias->shape == Shape{1, out.c, 1, 1}));
  return words && op.weight.shape == weight && window_covered(op.window, in, out) &&
         uint64_t{weight.n} * weight.h * weight.w <= kMaxTerms && has_own_rows(op.out, local) &&
         apart(op.out, op.in, local) && apart(op.out, op.weight, local) &&
         (!op.bias || apart(op.out, *op.bias, local));
}

// Columns of whole vectors per result.
double columns_per_result(uint64_t columns, uint64_t results, uint32_t lanes) {
  return static_cast<double>(align_up(columns, uint64_t{lanes})) / static_cast<double>(results);
}

bool execute_with(const Conv2dF32& op, const Memory& memory, const TileKernel& kernel) {
  const Shape& out = op.out.shape;
  const WindowPlane plane(op.window, op.in.shape, out);
  const double planes = columns_per_result(plane.extent(), uint64_t{out.h} * out.w, kernel.lanes);
  const double patches = columns_per_result(out.c, out.c, kernel.lanes);
  // gathering patches costs about as much as what half-empty vectors lose
  if (planes > 2 * patches && conv2d_by_patches(op, memory, kernel)) return true;
  return conv2d_by_planes(op, memory, kernel) || conv2d_by_patches(op, memory, kernel);
}

}  // namespace

ConvTerms::ConvTerms(const Conv2dF32& op) {
  const Shape& w = op.weight.shape;
  const uint32_t pairs = ceil_div(w.n, 2);
  const size_t count = size_t{w.n} * w.h * w.w;
  terms.reserve(count);
  weight_bytes.reserve(count);
  for (uint32_t chain = 0; chain < 4; ++chain) {
    const uint32_t parity = chain / 2, turn = chain % 2;
    uint64_t step = 0;
    for (uint32_t kh = 0; kh < w.h; ++kh)
      for (uint32_t kw = 0; kw < w.w; ++kw, step += pairs)
        for (uint32_t pair = static_cast<uint32_t>(step + turn) % 2; pair < pairs; pair += 2) {
          const uint32_t channel = 2 * pair + parity;
          if (channel == w.n) continue;  // the dummy of an odd number
          const uint32_t cell = channel / op.weight.pack, number = channel % op.weight.pack;
          terms.push_back({channel, kh, kw});
          weight_bytes.push_back(cell * op.weight.stride.n + number * 4 + kh * op.weight.stride.h +
                                 kw * op.weight.stride.w);
        }
    begin[chain + 1] = static_cast<uint32_t>(terms.size());
  }
}

void pack_weights(const Conv2dF32& op, const Memory& memory, const ConvTerms& terms, uint32_t first,
                  uint32_t count, size_t pitch, float* factors) {
  for (uint32_t r = 0; r < count; ++r) {
    const uint8_t* weights = memory.byte(op.weight, 0, first + r, 0, 0);
    float* to = factors + r;
    for (const uint32_t bytes : terms.weight_bytes) {
      *to = Memory::load<float>(weights + bytes);
      to += pitch;
    }
  }
}

bool execute(const Conv2dF32& op, const Memory& memory) {
  return vectors_enabled() && covered(op, memory.local) && execute_with(op, memory, tile_kernel());
}

}  // namespace tputwin::fast
