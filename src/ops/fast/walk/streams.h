// Streams: operands of element-wise operations on 32-bit elements, walked lane by lane in runs
// through which every operand either advances by one element or stays where it is.
#pragma once

#include <array>
#include <optional>

#include "numerics/float_mode.h"
#include "ops/contract/source.h"
#include "ops/fast/views/views.h"
#include "ops/fast/walk/nest.h"

namespace tputwin::fast {

// One operand: a tensor, or a constant, which is a tensor that never advances.
struct Stream {
  TensorView view;  // its shape is that of the results
  bool is_constant = false;
  uint32_t constant = 0;

  Stream(const TensorView& tensor) : view(tensor) {}  // NOLINT: implicit
  Stream(const Source& source)                        // NOLINT: implicit
      : view(source.view), is_constant(source.is_constant), constant(source.constant) {}
};

constexpr size_t kElement = 4;  // bytes

// A tensor in lanes whose rows are runs of elements, or one element over and over.
inline bool streamable(const TensorView& v, const Shape& shape) {
  const bool whole = (v.address | v.stride.n | v.stride.c | v.stride.h) % kElement == 0;
  return v.space == Space::local && v.shape == shape && is_32bit(v.dtype) && v.pack == 1 && whole &&
         (shape.w == 1 || v.stride.w == kElement || v.stride.w == 0);
}

// K operands, the first kResults of them written.
template <size_t K, size_t kResults>
struct Streams {
  std::array<Stream, K> operands;

  const Shape& shape() const { return operands[0].view.shape; }

  // Whether elements can be computed in any order, each operand of a layout that forms runs.
  bool regular(const LocalMemory& local) const {
    for (size_t k = 0; k < K; ++k) {
      const Stream& operand = operands[k];
      if (!operand.is_constant && !streamable(operand.view, shape())) return false;
    }
    for (size_t r = 0; r < kResults; ++r) {
      const Plane result{&operands[r].view};
      if (!distinct_elements(*result.view, local)) return false;
      for (size_t k = 0; k < K; ++k) {
        const Plane other{&operands[k].view};
        if (k == r || operands[k].is_constant || disjoint(other, result, local)) continue;
        if (k < kResults || !same_bytes(other, result)) return false;
      }
    }
    return shape().count() > 0;
  }

  using Pointers = std::array<uint8_t*, K>;
  using Units = std::array<size_t, K>;  // kElement, or 0 for an operand that stays

  // Calls run(pointers, units, elements) for the runs of every lane slot in [begin, end).
  template <class Run>
  [[gnu::always_inline]] void for_each(const Memory& memory, size_t begin, size_t end,
                                       const Run& run) const {
    const Slots slots = local_slots(shape(), memory.local);
    for (size_t slot = begin; slot < end; ++slot) {
      const Nest<K> nest = nest_of(slots, slots.turns(slot));
      const Pointers first = first_elements(memory, static_cast<uint32_t>(slot));
      const bool long_runs = advances_by_elements(nest.inner);
      for_each_inner(nest, 0, nest.runs(), [&](const Units& offsets) [[gnu::always_inline]] {
        Pointers p = first;
        for (size_t k = 0; k < K; ++k) p[k] += offsets[k];
        if (long_runs) return run(p, nest.inner.step, nest.inner.count);
        for (size_t i = 0; i < nest.inner.count; ++i) {
          run(p, kSingle, 1);
          for (size_t k = 0; k < K; ++k) p[k] += nest.inner.step[k];
        }
      });
    }
  }

 private:
  static constexpr Units kSingle = [] {
    Units units{};
    units.fill(kElement);
    return units;
  }();

  Nest<K> nest_of(const Slots& slots, uint32_t turns) const {
    const Shape& s = shape();
    std::array<NestLoop<K>, 4> loops{{{s.w, {}}, {s.h, {}}, {turns, {}}, {s.n, {}}}};
    for (size_t k = 0; k < K; ++k) {
      if (operands[k].is_constant) continue;
      const Stride& stride = operands[k].view.stride;
      loops[0].step[k] = stride.w;
      loops[1].step[k] = stride.h;
      loops[2].step[k] = turn_step(operands[k].view, slots);
      loops[3].step[k] = stride.n;
    }
    return make_nest(loops);
  }

  static bool advances_by_elements(const NestLoop<K>& loop) {
    for (size_t k = 0; k < K; ++k)
      if (loop.step[k] != kElement && (k < kResults || loop.step[k] != 0)) return false;
    return true;
  }

  Pointers first_elements(const Memory& memory, uint32_t c) const {
    Pointers p;
    for (size_t k = 0; k < K; ++k) {
      const Stream& operand = operands[k];
      p[k] = operand.is_constant
                 ? reinterpret_cast<uint8_t*>(const_cast<uint32_t*>(&operand.constant))
                 : memory.byte(operand.view, 0, c, 0, 0);
    }
    return p;
  }
};

// Spreads the lanes of an fp32 operation over threads, each in the chip's number environment.
// `weight`: arithmetic steps of one element, in units of what moving it costs.
template <class Lanes>
void for_lanes(const Shape& shape, const LocalMemory& local, uint64_t weight, const Lanes& lanes) {
  constexpr uint64_t kWorkPerTask = 32 << 10;
  const size_t slots = lane_slots(shape, local);
  const uint64_t work = shape.count() * weight;
  const size_t grain = work < 2 * kWorkPerTask ? slots : ceil_div(slots * kWorkPerTask, work);
  parallel_for(slots, grain, [&](size_t begin, size_t end) {
    const ScopedFloatMode mode;
    lanes(begin, end);
  });
}

}  // namespace tputwin::fast
