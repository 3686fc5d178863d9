// Orders terms chain by chain, and transposes weights of local memory to panels.
#include "ops/fast/gemm/packing/terms_bm1684.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "base/bits.h"
#include "ops/contract/taps.h"
#include "ops/fast/gemm/kernels/tile_buffers.h"
#include "ops/fast/scratch.h"
#include "ops/fast/walk/transpose.h"

namespace tputwin::fast {

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
    const uint32_t parity = chain / 2, pair_parity = chain % 2;
    uint64_t step = 0;
    chains.begin[chain] = static_cast<uint32_t>(terms.size());
    for (uint32_t kh = 0; kh < w.h; ++kh)
      for (uint32_t kw = 0; kw < w.w; ++kw, step += pairs)
        for (uint32_t pair = static_cast<uint32_t>(step + pair_parity) % 2; pair < pairs;
             pair += 2) {
          const uint32_t channel = 2 * pair + parity;
          if (channel == w.n) continue;  // the dummy channel of an odd number
          const uint32_t cell = channel / op.weight.pack, number = channel % op.weight.pack;
          const uint32_t partners = channel - parity + 1 < w.n ? 2 : 1;
          const WeightPlace at = weight_place(op.window, op.is_rotated, kh, kw);
          const uint64_t place =
              uint64_t{2} * pair * taps + (at.h * w.w + at.w) * partners + parity;
          by_weight[place] = static_cast<uint32_t>(terms.size());
          terms.push_back({channel, kh, kw});
          weight_bytes.push_back(cell * op.weight.stride.n + number * 4 +
                                 at.h * op.weight.stride.h + at.w * op.weight.stride.w);
        }
    chains.end[chain] = static_cast<uint32_t>(terms.size());
  }
}

std::shared_ptr<const ConvTerms> ConvTerms::of(const Conv2dBm1684& op) {
  struct Last {
    TensorView weight;
    bool is_rotated = false;
    std::shared_ptr<const ConvTerms> terms;
  };
  thread_local Last last;
  TensorView weight = op.weight;
  weight.address = 0;
  if (last.terms == nullptr || last.weight != weight || last.is_rotated != op.is_rotated)
    last = {weight, op.is_rotated, std::make_shared<const ConvTerms>(op)};
  return last.terms;
}

namespace {

// Packs the weights of output channels in panels. It works on the channels of a few neighbouring
// lanes at a time.
class WeightPacking {
 public:
  // Describes the destination. Each panel begins `channels` output channels and `words` fp32 values
  // after the panel before it.
  struct Panels {
    float* first;
    uint32_t channels;
    uint64_t words;
  };
  WeightPacking(const Conv2dBm1684& op, const Memory& memory, const ConvTerms& terms,
                uint32_t width, const Panels& panels)
      : op_(op),
        memory_(memory),
        terms_(terms),
        width_(width),
        lanes_(memory.local.lanes()),
        channels_(op.out.shape.c),
        of_pair_(2 * op.weight.shape.h * op.weight.shape.w),
        pairs_(op.weight.shape.n / 2),
        are_contiguous_(weights_are_contiguous()),
        panels_(panels) {}

  // kChannelsAtOnce is small, because equal offsets in different lanes map to the same sets of the
  // cache.
  static constexpr uint32_t kChannelsAtOnce = 8;
  // kPairs is the largest number of pairs of input channels that are transposed at once. kPositions
  // is the largest number of positions of a lane that are, gaps included.
  static constexpr uint32_t kPairs = 16, kPositions = 1024;

  // Packs the weights of the input channels of pairs [first_pair, last_pair).
  void pack(uint32_t first_pair, uint32_t last_pair) const {
    const uint32_t group = std::min(width_, kChannelsAtOnce);  // divides lanes
    for (uint32_t slot = 0; slot < std::min(lanes_, channels_); slot += group)
      pack_slots(slot, first_pair, last_pair);
  }
  // Packs the same weights, but only for the output channels in the group of lanes that begins at
  // lane `slot`.
  void pack_slots(uint32_t slot, uint32_t first_pair, uint32_t last_pair) const {
    const uint32_t group = std::min(width_, kChannelsAtOnce);
    const uint32_t step = op_.weight.stride.n / uint32_t{sizeof(float)};
    const uint32_t at_once = std::clamp(kPositions / std::max(1u, step), 1u, kPairs);
    const Lanes lanes = lanes_of(slot, std::min(group, channels_ - slot));
    const uint32_t transposed = transposed_channels(slot, group, lanes);
    uint32_t pair = transposed > 0 ? first_pair : last_pair;
    if (transposes_lines()) pair = transpose_by_lines(slot, lanes, transposed, pair, last_pair);
    for (; pair < last_pair; pair += at_once)
      transpose_pairs(slot, lanes, transposed, pair, std::min(at_once, last_pair - pair));
    for (uint32_t oc = slot + transposed * lanes_; oc < channels_; oc += lanes_)
      pack_each(oc, std::min(group, channels_ - oc), first_pair * of_pair_,
                last_pair == pairs_ ? terms_.by_weight.size() : last_pair * of_pair_);
  }

 private:
  using Lanes = std::array<uint8_t*, kChannelsAtOnce>;

  Lanes lanes_of(uint32_t oc, uint32_t count) const {
    Lanes weights{};
    for (uint32_t r = 0; r < count; ++r) weights[r] = memory_.byte(op_.weight, 0, oc + r, 0, 0);
    return weights;
  }
  float* panel(uint32_t oc) const {
    return panels_.first + oc / panels_.channels * panels_.words + oc % width_;
  }
  size_t pitch(uint32_t oc) const { return std::min(width_, channels_ - oc / width_ * width_); }

  // Returns true if a lane stores pairs of input channels; in each pair its output channels; in
  // each output channel its taps; in each tap two weights.
  bool weights_are_contiguous() const {
    const TensorView& w = op_.weight;
    const uint64_t channel = of_pair_ * sizeof(float);
    return w.pack == 2 && w.shape.n % 2 == 0 && w.stride.w == 2 * sizeof(float) &&
           w.stride.h == w.shape.w * w.stride.w && w.stride.n <= kPositions * sizeof(float) &&
           w.stride.n >= ceil_div(channels_, lanes_) * channel &&
           (channels_ <= lanes_ || w.stride.c == channel);
  }
  // Returns the number of channels that each of the `group` lanes has, or 0 if they cannot be
  // transposed.
  uint32_t transposed_channels(uint32_t slot, uint32_t group, const Lanes& lanes) const {
    if (!are_contiguous_ || slot + group > channels_ ||
        !equally_far(std::span<uint8_t* const>(lanes.data(), group)))
      return 0;
    return (channels_ - slot - group) / lanes_ + 1;
  }

  // Returns true if every second pair begins a cache line, and panels have kChannelsAtOnce rows.
  bool transposes_lines() const {
    return width_ == kChannelsAtOnce &&
           2 * op_.weight.stride.n % (kInt32OfLine * sizeof(float)) == 0;
  }
  // Transposes cache lines. Goes over two pairs at a time with the same line, because their values
  // at one position are neighbours in a panel. Returns the first pair that is not done.
  uint32_t transpose_by_lines(uint32_t slot, const Lanes& lanes, uint32_t channels, uint32_t pair,
                              uint32_t last_pair) const {
    const auto step = static_cast<uint32_t>(op_.weight.stride.n / sizeof(float));
    const uint32_t twos = (last_pair - pair) / 2, all = channels * of_pair_;
    thread_local Scratch gaps;  // receives the gaps between weights
    auto* const nowhere = gaps.take<uint8_t>(size_t{twos} * kChannelsAtOnce * sizeof(float));
    for (uint32_t line = 0; twos > 0 && line < 2 * step; line += kInt32OfLine) {
      std::array<uint8_t*, kInt32OfLine> to;
      for (uint32_t i = 0; i < kInt32OfLine; ++i) {
        const uint32_t parity = (line + i) / step, place = (line + i) % step;
        const uint32_t oc = slot + place / of_pair_ * lanes_, tap = place % of_pair_;
        const uint32_t term = terms_.by_weight[uint64_t{pair + parity} * of_pair_ + tap];
        to[i] = place < all ? reinterpret_cast<uint8_t*>(panel(oc) + term * pitch(oc)) : nowhere;
      }
      transpose_lines(to, lanes[0] + (uint64_t{pair} * step + line) * sizeof(float),
                      static_cast<size_t>(lanes[1] - lanes[0]), 2 * op_.weight.stride.n, twos);
    }
    return pair + 2 * twos;
  }

  // Transposes some pairs of input channels: the same positions of all lanes become rows of panels.
  // Rows of every second pair are neighbours there. Cache lines are written whole, because distant
  // positions may be in one set of the cache.
  void transpose_pairs(uint32_t slot, const Lanes& lanes, uint32_t channels, uint32_t pair,
                       uint32_t pairs) const {
    const uint32_t group = std::min(width_, kChannelsAtOnce), all = channels * of_pair_;
    const size_t row = group * sizeof(float), step = op_.weight.stride.n / sizeof(float);
    alignas(64) std::array<float, kPositions * kChannelsAtOnce> transposed;
    transpose(sizeof(float), reinterpret_cast<uint8_t*>(transposed.data()), row,
              lanes[0] + uint64_t{pair} * op_.weight.stride.n,
              static_cast<size_t>(lanes[1] - lanes[0]), group, (pairs - 1) * step + all);
    group == kChannelsAtOnce
        ? place<kChannelsAtOnce>(transposed.data(), slot, all, pair, pairs)
        : place<kChannelsAtOnce / 2>(transposed.data(), slot, all, pair, pairs);
  }

  // Copies transposed weights to their panels, in rows of kGroup channels.
  template <uint32_t kGroup>
  void place(const float* transposed, uint32_t slot, uint32_t all, uint32_t pair,
             uint32_t pairs) const {
    const size_t step = op_.weight.stride.n / sizeof(float);
    for (uint32_t oc = slot, i = 0; i < all; oc += lanes_) {
      float* const to = panel(oc);
      const size_t term = pitch(oc);
      for (uint32_t tap = 0; tap < of_pair_; ++tap, ++i) {
        const uint32_t* const positions = &terms_.by_weight[uint64_t{pair} * of_pair_ + tap];
        for (const uint32_t parity : {0u, 1u}) {
          if (parity >= pairs) break;
          float* row = to + positions[parity * of_pair_] * term;
          const float* from = transposed + (parity * step + i) * kGroup;
          for (uint32_t p = parity; p < pairs; p += 2, row += term, from += 2 * step * kGroup)
            std::memcpy(row, from, kGroup * sizeof(float));
        }
      }
    }
  }

  void pack_each(uint32_t oc, uint32_t count, size_t first, size_t last) const {
    const Lanes weights = lanes_of(oc, count);
    float* const to = panel(oc);
    const size_t step = pitch(oc);
    for (size_t i = first; i < last; ++i) {
      const uint32_t term = terms_.by_weight[i];
      for (uint32_t r = 0; r < count; ++r)
        to[term * step + r] = Memory::load<float>(weights[r] + terms_.weight_bytes[term]);
    }
  }

  const Conv2dBm1684& op_;
  const Memory& memory_;
  const ConvTerms& terms_;
  const uint32_t width_, lanes_, channels_, of_pair_, pairs_;
  const bool are_contiguous_;
  const Panels panels_;
};

}  // namespace

void ConvTerms::pack_weights(const Conv2dBm1684& op, const Memory& memory, uint32_t width,
                             float* factors) const {
  const WeightPacking packing(op, memory, *this, width,
                              {factors, width, uint64_t{width} * terms.size()});
  const uint32_t pairs = op.weight.shape.n / 2, taps = op.weight.shape.h * op.weight.shape.w;
  if (pairs == 0) return packing.pack(0, 0);
  // A task packs some terms of all channels, because a cache line has neighbouring terms, and
  // channels at a distance of `lanes`.
  const uint32_t at_once =
      align_up(std::max(32u, 4096 / width) / (2 * taps) + 1, WeightPacking::kPairs);
  const size_t grain = grain_of(uint64_t{at_once} * 2 * taps * op.out.shape.c, kTermsPerTask);
  parallel_for(ceil_div(pairs, at_once), grain, [&](size_t begin, size_t end) {
    for (auto i = static_cast<uint32_t>(begin); i < end; ++i)
      packing.pack(i * at_once, std::min((i + 1) * at_once, pairs));
  });
}

void ConvTerms::pack_panels(const Conv2dBm1684& op, const Memory& memory, uint32_t width,
                            uint32_t slot, uint64_t panel_cells, float* factors) const {
  const WeightPacking packing(op, memory, *this, width,
                              {factors, memory.local.lanes(), panel_cells});
  packing.pack_slots(slot, 0, op.weight.shape.n / 2);
}

}  // namespace tputwin::fast
