// dma_winograd_kernel: sixteen kernels at once in 16-bit arithmetic, which holds every value.
#include <algorithm>

#include "base/parallel.h"
#include "numerics/integer.h"
#include "ops/fast/dispatch/fast_kernel.h"
#include "ops/fast/fast.h"
#include "ops/fast/walk/copy.h"
#include "ops/move/dma_winograd_kernel.h"

namespace tputwin::fast {
namespace {

constexpr size_t kBatch = 16;
using Row = std::array<int16_t, kBatch>;  // one coefficient of every kernel of a batch

// (2a, a+b+c, a-b+c, 2c): the product with twice the usual G.
void expand(const Row& a, const Row& b, const Row& c, Row* out, size_t step) {
  for (size_t i = 0; i < kBatch; ++i) {
    out[0][i] = static_cast<int16_t>(2 * a[i]);
    out[step][i] = static_cast<int16_t>(a[i] + b[i] + c[i]);
    out[2 * step][i] = static_cast<int16_t>(a[i] - b[i] + c[i]);
    out[3 * step][i] = static_cast<int16_t>(2 * c[i]);
  }
}

void transform(uint8_t* dst, size_t dst_stride, const uint8_t* src, size_t src_stride, size_t count,
               int16_t factor) {
  Row kernel[9] = {}, tall[12], full[16];
  for (size_t i = 0; i < count; ++i)
    for (size_t k = 0; k < 9; ++k) kernel[k][i] = static_cast<int8_t>(src[i * src_stride + k]);
  for (size_t k = 0; k < 3; ++k) expand(kernel[k], kernel[3 + k], kernel[6 + k], tall + k, 3);
  for (size_t r = 0; r < 4; ++r)
    expand(tall[3 * r], tall[3 * r + 1], tall[3 * r + 2], full + 4 * r, 1);
  for (Row& row : full)
    for (int16_t& x : row) {
      int16_t scaled = static_cast<int16_t>(((x + 2) >> 2) * factor);
      x = static_cast<int16_t>(std::clamp((scaled + 4) >> 3, -128, 127));
    }
  for (size_t i = 0; i < count; ++i)
    for (size_t k = 0; k < 16; ++k) dst[i * dst_stride + k] = static_cast<uint8_t>(full[k][i]);
}

Declined batches(const DmaWinogradKernel& op, const Memory& memory) {
  const Shape& s = op.dst.shape;
  if (is_empty(s) || s.n != 1 || s.w != 16 || op.src.shape != Shape{1, s.c, s.h, 9})
    return "no kernels of 3x3";
  if (op.scale > 15) return "16 bits do not hold the sums";  // 9 * 128 / 4 * (scale + 1)
  if (const Declined why = rows_overlap(op.dst, op.src, memory)) return why;
  constexpr uint64_t kKernelsPerTask = 4096;
  parallel_for(s.c, grain_of(s.h, kKernelsPerTask), [&](size_t begin, size_t end) {
    for (size_t c = begin; c < end; ++c) {
      uint8_t* dst = memory.byte(op.dst, 0, static_cast<uint32_t>(c), 0, 0);
      const uint8_t* src = memory.byte(op.src, 0, static_cast<uint32_t>(c), 0, 0);
      for (size_t ic = 0; ic < s.h; ic += kBatch)
        transform(dst + ic * op.dst.stride.h, op.dst.stride.h, src + ic * op.src.stride.h,
                  op.src.stride.h, std::min<size_t>(kBatch, s.h - ic),
                  static_cast<int16_t>(op.scale + 1));
    }
  });
  return kRan;
}

}  // namespace

TW_FAST_KERNELS(DmaWinogradKernel, {"batches", batches})

}  // namespace tputwin::fast
