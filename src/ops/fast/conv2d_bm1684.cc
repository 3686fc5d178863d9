// conv2d of fp32: both operands are copied in the order in which register tiles read them.
#include "ops/fast/gemm/conv2d_bm1684.h"

#include <algorithm>
#include <span>

#include "base/bits.h"
#include "base/parallel.h"
#include "ops/conv/conv2d_bm1684.h"
#include "ops/fast/fast.h"
#include "ops/fast/select/body.h"
#include "ops/fast/select/budgets.h"
#include "ops/fast/views/views.h"
#include "ops/fast/window/planes.h"

namespace tputwin::fast {
namespace {

Declined operands_decline(const Conv2dBm1684& op, const LocalMemory& local) {
  const Shape &in = op.in.shape, &out = op.out.shape;
  const Shape weight{in.c, out.c, op.window.h.kernel, op.window.w.kernel};
  if (!has_words(op.out) || !has_words(op.in) || !has_words(op.weight) ||
      (op.bias && !has_words(*op.bias)))
    return "an operand is no words in lanes";
  if (op.weight.shape != weight || (op.bias && op.bias->shape != Shape{1, out.c, 1, 1}))
    return "weights are not of the window";
  if (!window_covered(op.window, in, out)) return "a window that is not laid out";
  if (uint64_t{weight.n} * weight.h * weight.w > kMaxChainTerms) return "too many terms";
  if (!has_dense_rows(op.out)) return "rows of results have gaps";
  return overlap(op.out, {&op.in, &op.weight, tensor_of(op.bias)}, local);
}

// Columns of whole vectors per result.
double columns_per_result(uint64_t columns, uint64_t results) {
  return static_cast<double>(align_up(columns, uint64_t{tile_kernels().lanes})) /
         static_cast<double>(results);
}

// Gathering patches costs about as much as what half-empty vectors lose.
bool prefers_patches(const Conv2dBm1684& op) {
  const Shape& out = op.out.shape;
  const WindowPlane plane(op.window, op.in.shape, out);
  return columns_per_result(plane.extent(), uint64_t{out.h} * out.w) >
         2 * columns_per_result(out.c, out.c);
}

Declined planes(const Conv2dBm1684& op, const Memory& memory) {
  if (const Declined why = operands_decline(op, memory.local)) return why;
  if (prefers_patches(op)) return "planes do not fill vectors";
  return conv2d_by_planes(op, memory);
}

Declined im2col(const Conv2dBm1684& op, const Memory& memory) {
  if (const Declined why = operands_decline(op, memory.local)) return why;
  return conv2d_by_im2col(op, memory);
}

// Where patches are preferred, but their copies too large.
Declined any_planes(const Conv2dBm1684& op, const Memory& memory) {
  if (const Declined why = operands_decline(op, memory.local)) return why;
  return conv2d_by_planes(op, memory);
}

constexpr Body<Conv2dBm1684> kBodies[] = {
    {"planes", planes}, {"im2col", im2col}, {"half-empty planes", any_planes}};

}  // namespace

ConvTerms::ConvTerms(const Conv2dBm1684& op) {
  const Shape& w = op.weight.shape;
  const uint32_t pairs = ceil_div(w.n, 2);
  const size_t count = size_t{w.n} * w.h * w.w;
  const uint32_t taps = w.h * w.w;
  terms.reserve(count);
  weight_bytes.reserve(count);
  by_weight.resize(count);
  chains.count = 4;
  for (uint32_t chain = 0; chain < 4; ++chain) {
    const uint32_t parity = chain / 2, turn = chain % 2;
    uint64_t step = 0;
    chains.begin[chain] = static_cast<uint32_t>(terms.size());
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
    chains.end[chain] = static_cast<uint32_t>(terms.size());
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
  const size_t grain = grain_of(at_once * channels, kTermsPerTask);
  parallel_for(ceil_div(count, at_once), grain, [&](size_t begin, size_t end) {
    for (size_t at = begin * at_once; at < end * at_once; at += at_once) {
      const std::span<const uint32_t> some(terms.by_weight.data() + at,
                                           std::min(at_once, count - at));
      for (uint32_t slot = 0; slot < std::min(lanes, channels); slot += group)
        for (uint32_t oc = slot; oc < channels; oc += lanes) pack(oc, some);
    }
  });
}

bool execute(const Conv2dBm1684& op, const Memory& memory) { return run_best(kBodies, op, memory); }

}  // namespace tputwin::fast
