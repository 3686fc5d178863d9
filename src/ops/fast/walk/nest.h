// Nest: the loops over the elements (or cells) that operands have in common, merged into the
// longest inner loop. What fast bodies of the BM1684's operations walk.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "base/bits.h"
#include "base/parallel.h"
#include "memory/memory.h"

namespace tputwin::fast {

template <size_t K>
struct NestLoop {
  size_t count = 1;
  std::array<size_t, K> step{};  // bytes
};

// An inner loop under up to three outer ones, outermost first. A step of 0 broadcasts.
template <size_t K>
struct Nest {
  NestLoop<K> inner;
  std::array<NestLoop<K>, 3> outer;

  size_t runs() const { return outer[0].count * outer[1].count * outer[2].count; }
  // The elements of every operand are `bytes[k]` bytes and lie side by side in the inner loop.
  bool dense(const std::array<size_t, K>& bytes) const {
    return inner.count == 1 || inner.step == bytes;
  }
};

// Loops given from the innermost outwards.
template <size_t K>
Nest<K> make_nest(const std::array<NestLoop<K>, 4>& loops) {
  auto continues = [](const NestLoop<K>& inside, const NestLoop<K>& loop) {
    for (size_t k = 0; k < K; ++k)
      if (loop.step[k] != inside.count * inside.step[k]) return false;
    return true;
  };
  Nest<K> nest;
  bool empty = true;
  size_t first = 3;  // outer loops in use
  for (const NestLoop<K>& loop : loops) {
    if (loop.count == 1) continue;
    NestLoop<K>& inside = first == 3 ? nest.inner : nest.outer[first];
    if (empty)
      nest.inner = loop;
    else if (continues(inside, loop))
      inside.count *= loop.count;
    else
      nest.outer[--first] = loop;
    empty = false;
  }
  return nest;
}

// The channels c, c + lanes, c + 2 * lanes, ... as one slot: in local memory they share a lane.
// Operands without a local one among them have all channels in one slot.
struct Slots {
  size_t count;       // slots
  uint32_t lanes;     // distance of the channels of a slot
  uint32_t channels;  // of the operands
  uint32_t turns(size_t slot) const {
    return static_cast<uint32_t>((channels - slot + lanes - 1) / lanes);
  }
};

inline Slots local_slots(const Shape& s, const LocalMemory& local) {
  return {std::min(s.c, local.lanes()), local.lanes(), s.c};
}
inline Slots one_slot(const Shape& s) { return {1, 1, s.c}; }

// From one channel of a slot to the next.
inline size_t turn_step(const TensorView& v, const Slots& slots) {
  return v.space == Space::local ? v.stride.c : size_t{v.stride.c} * slots.lanes;
}

// The nest of the elements (of packed operands: cells) of a slot with that many turns.
template <size_t K>
Nest<K> slot_nest(const std::array<const TensorView*, K>& views, const Slots& slots,
                  uint32_t turns) {
  const Shape& s = views[0]->shape;
  std::array<NestLoop<K>, 4> loops{{{s.w, {}}, {s.h, {}}, {turns, {}}, {cells(*views[0]), {}}}};
  for (size_t k = 0; k < K; ++k) {
    const Stride& stride = views[k]->stride;
    loops[0].step[k] = stride.w;
    loops[1].step[k] = stride.h;
    loops[2].step[k] = turn_step(*views[k], slots);
    loops[3].step[k] = stride.n;
  }
  return make_nest(loops);
}

// Calls run(offsets) for the inner loops number [begin, end) of a nest.
template <size_t K, class Run>
[[gnu::always_inline]] inline void for_each_inner(const Nest<K>& nest, size_t begin, size_t end,
                                                  const Run& run) {
  const auto& [a, b, c] = nest.outer;
  size_t k = begin % c.count, j = begin / c.count % b.count, i = begin / c.count / b.count;
  for (size_t index = begin; index < end; ++index) {
    std::array<size_t, K> offset;
    for (size_t o = 0; o < K; ++o) offset[o] = i * a.step[o] + j * b.step[o] + k * c.step[o];
    run(offset);
    if (++k == c.count) {
      k = 0;
      if (++j == b.count) j = 0, ++i;
    }
  }
}

// Work below this is done faster by one thread than by two.
constexpr uint64_t kNestBytesPerTask = 256 << 10;

// Cuts `items` equal pieces of work of `bytes` in all among threads.
template <class Body>
void share_out(size_t items, uint64_t bytes, const Body& body) {
  if (bytes < 2 * kNestBytesPerTask) return body(0, items);
  parallel_for(items, std::max<size_t>(1, items * kNestBytesPerTask / bytes), body);
}

}  // namespace tputwin::fast
