// conv2d of fp32: both operands are copied in the order in which register tiles read them.
#include "ops/fast/gemm/conv2d_f32.h"

#include <algorithm>
#include <span>

#include "base/bits.h"
#include "base/parallel.h"
#include "ops/conv/conv2d_bm1684.h"
#include "ops/fast/fast.h"
#include "ops/fast/select/isa.h"
#include "ops/fast/window/planes.h"

namespace tputwin::fast {
namespace {

constexpr uint64_t kMaxTerms = 1 << 20;

bool covered(const Conv2dBm1684& op, const LocalMemory& local) {
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

bool execute_with(const Conv2dBm1684& op, const Memory& memory, const TileKernel& kernel) {
  const Shape& out = op.out.shape;
  const WindowPlane plane(op.window, op.in.shape, out);
  const double planes = columns_per_result(plane.extent(), uint64_t{out.h} * out.w, kernel.lanes);
  const double patches = columns_per_result(out.c, out.c, kernel.lanes);
  // gathering patches costs about as much as what half-empty vectors lose
  if (planes > 2 * patches && conv2d_by_patches(op, memory, kernel)) return true;
  return conv2d_by_planes(op, memory, kernel) || conv2d_by_patches(op, memory, kernel);
}

}  // namespace

ConvTerms::ConvTerms(const Conv2dBm1684& op) {
  const Shape& w = op.weight.shape;
  const uint32_t pairs = ceil_div(w.n, 2);
  const size_t count = size_t{w.n} * w.h * w.w;
  const uint32_t taps = w.h * w.w;
  terms.reserve(count);
  weight_bytes.reserve(count);
  by_weight.resize(count);
  for (uint32_t chain = 0; chain < 4; ++chain) {
    const uint32_t parity = chain / 2, turn = chain % 2;
    uint64_t step = 0;
    for (uint32_t kh = 0; kh < w.h; ++kh)
      for (uint32_t kw = 0; kw < w.w; ++kw, step += pairs)
        for (uint32_t pair = static_cast<uint32_t>(step + turn) % 2; pair < pairs; pair += 2) {
          const uint32_t channel = 2 * pair + parity;
          if (channel == w.n) continue;  // the dummy of an odd number
          const uint32_t cell = channel / op.weight.pack, number = channel % op.weight.pack;
          const uint32_t partners = channel - parity + 1 < w.n ? 2 : 1;
          const uint64_t place = uint64_t{2} * pair * taps + (kh * w.w + kw) * partners + parity;
          by_weight[place] = static_cast<uint32_t>(terms.size());
          terms.push_back({channel, kh, kw});
          weight_bytes.push_back(cell * op.weight.stride.n + number * 4 + kh * op.weight.stride.h +
                                 kw * op.weight.stride.w);
        }
    begin[chain + 1] = static_cast<uint32_t>(terms.size());
  }
}

// Some terms of all channels at a time: what lies in one cache line belongs to neighbouring terms
// and to channels that are `lanes` apart. Few channels side by side, because equal offsets in
// different lanes crowd into the same sets of the cache.
void pack_weights(const Conv2dBm1684& op, const Memory& memory, const ConvTerms& terms,
                  uint32_t width, bool tight, float* factors) {
  constexpr uint32_t kChannelsAtOnce = 8;
  const size_t count = terms.terms.size(), at_once = std::max(32u, 4096 / width);
  const uint32_t channels = op.out.shape.c, lanes = memory.local.lanes();
  const uint32_t group = std::min(width, kChannelsAtOnce);  // divides width and lanes
  auto pack = [&](uint32_t oc, std::span<const uint32_t> some) {
    const uint32_t first = oc / width * width, rows = std::min(group, channels - oc);
    const size_t pitch = tight ? std::min(width, channels - first) : width;
    std::array<const uint8_t*, kChannelsAtOnce> weights;
    for (uint32_t r = 0; r < rows; ++r) weights[r] = memory.byte(op.weight, 0, oc + r, 0, 0);
    float* to = factors + first * count + oc - first;
    for (const uint32_t term : some)
      for (uint32_t r = 0; r < rows; ++r)
        to[term * pitch + r] = Memory::load<float>(weights[r] + terms.weight_bytes[term]);
  };
  const size_t grain = std::max<size_t>(1, kTermsPerTask / (at_once * channels));
  parallel_for(ceil_div(count, at_once), grain, [&](size_t begin, size_t end) {
    for (size_t at = begin * at_once; at < end * at_once; at += at_once) {
      const std::span<const uint32_t> some(terms.by_weight.data() + at,
                                           std::min(at_once, count - at));
      for (uint32_t slot = 0; slot < std::min(lanes, channels); slot += group)
        for (uint32_t oc = slot; oc < channels; oc += lanes) pack(oc, some);
    }
  });
}

bool execute(const Conv2dBm1684& op, const Memory& memory) {
  return vectors_enabled() && covered(op, memory.local) && execute_with(op, memory, tile_kernel());
}

}  // namespace tputwin::fast
