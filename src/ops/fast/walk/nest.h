// Nest: the loops over the elements of all operands, merged into the longest inner loop.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "base/bits.h"
#include "memory/memory.h"
#include "ops/fast/dispatch/budgets.h"

namespace tputwin::fast {

template <size_t K>
struct NestLoop {
  size_t count = 1;
  std::array<size_t, K> step{};  // bytes
};

// An inner loop under up to three outer ones, outermost first. A step of 0 broadcasts. Elements
// have the order of the original loops.
template <size_t K>
struct Nest {
  NestLoop<K> inner;
  std::array<NestLoop<K>, 3> outer;

  // Returns the number of inner loops.
  size_t runs() const { return outer[0].count * outer[1].count * outer[2].count; }
  std::array<size_t, K> offsets(size_t run) const {
    const auto& [a, b, c] = outer;
    const size_t k = run % c.count, j = run / c.count % b.count, i = run / c.count / b.count;
    std::array<size_t, K> offset;
    for (size_t o = 0; o < K; ++o) offset[o] = i * a.step[o] + j * b.step[o] + k * c.step[o];
    return offset;
  }
  // Returns true if the elements of every operand have `bytes[k]` bytes and are contiguous in the
  // inner loop.
  bool dense(const std::array<size_t, K>& bytes) const {
    return inner.count == 1 || inner.step == bytes;
  }
};

// Merges loops, given from the innermost outwards. If `inner` is given, loops join the inner loop
// only if they continue it. Otherwise the first loop with more than one element is the inner loop.
template <size_t K>
Nest<K> make_nest(const std::array<NestLoop<K>, 4>& loops, const NestLoop<K>* inner = nullptr) {
  auto continues = [](const NestLoop<K>& inside, const NestLoop<K>& loop) {
    for (size_t k = 0; k < K; ++k)
      if (loop.step[k] != inside.count * inside.step[k]) return false;
    return true;
  };
  Nest<K> nest;
  if (inner != nullptr) nest.inner = *inner;
  bool empty = inner == nullptr;
  size_t first = 3;  // loops outer[first] to outer[2] are in use
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

// Merges loops over rows that are contiguous bytes. The inner loop goes over bytes.
template <size_t K>
Nest<K> make_byte_nest(const std::array<NestLoop<K>, 4>& loops) {
  NestLoop<K> bytes;
  bytes.step.fill(1);
  return make_nest(loops, &bytes);
}

// Divides channels into slots. A slot has the channels c, c + lanes, c + 2 * lanes and so on, which
// share a lane of local memory for any start lane. If no operand is local, all channels are in one
// slot.
struct Slots {
  uint32_t count;     // slots
  uint32_t lanes;     // distance of the channels of a slot
  uint32_t channels;  // channels of the operands
  uint32_t rounds(size_t slot) const {
    return static_cast<uint32_t>((channels - slot + lanes - 1) / lanes);
  }
};

inline Slots local_slots(const Shape& s, const LocalMemory& local) {
  return {std::min(s.c, local.lanes()), local.lanes(), s.c};
}
inline Slots one_slot(const Shape& s) { return {1, 1, s.c}; }

// Returns the distance in bytes from one channel of a slot to the next.
inline size_t round_step(const TensorView& v, const Slots& slots) {
  return v.space == Space::local ? v.stride.c : size_t{v.stride.c} * slots.lanes;
}

// Returns the loops over the elements (cells of packed operands) of a slot with `rounds` channels,
// innermost first. An operand that is nullptr has steps of 0.
template <size_t K>
std::array<NestLoop<K>, 4> slot_loops(const Shape& shape, uint32_t cells_n,
                                      const std::array<const TensorView*, K>& views,
                                      const Slots& slots, uint32_t rounds) {
  std::array<NestLoop<K>, 4> loops{{{shape.w, {}}, {shape.h, {}}, {rounds, {}}, {cells_n, {}}}};
  for (size_t k = 0; k < K; ++k) {
    if (views[k] == nullptr) continue;
    const Stride& stride = views[k]->stride;
    loops[0].step[k] = stride.w;
    loops[1].step[k] = stride.h;
    loops[2].step[k] = round_step(*views[k], slots);
    loops[3].step[k] = stride.n;
  }
  return loops;
}

template <size_t K>
Nest<K> slot_nest(const std::array<const TensorView*, K>& views, const Slots& slots,
                  uint32_t rounds) {
  return make_nest(slot_loops(views[0]->shape, cells(*views[0]), views, slots, rounds));
}

// Returns the nest of byte planes, whose rows are runs of bytes.
template <size_t K>
Nest<K> byte_nest(const std::array<const TensorView*, K>& views, const Slots& slots,
                  uint32_t rounds) {
  auto loops = slot_loops(views[0]->shape, views[0]->shape.n, views, slots, rounds);
  loops[0].step.fill(1);
  return make_byte_nest(loops);
}

// Calls run(offsets) for inner loops [begin, end) of a nest. Always inlined, so that a kernel
// compiled for an instruction set is inlined into its caller.
template <size_t K, class Run>
[[gnu::always_inline]] inline void for_each_inner(const Nest<K>& nest, size_t begin, size_t end,
                                                  const Run& run) {
  const auto& [a, b, c] = nest.outer;
  size_t k = 0, j = 0, i = 0;
  if (begin != 0) k = begin % c.count, j = begin / c.count % b.count, i = begin / c.count / b.count;
  while (begin < end) {
    std::array<size_t, K> offset;
    for (size_t o = 0; o < K; ++o) offset[o] = i * a.step[o] + j * b.step[o] + k * c.step[o];
    size_t left = std::min(c.count - k, end - begin);
    for (begin += left; left > 0; --left) {
      run(offset);
      for (size_t o = 0; o < K; ++o) offset[o] += c.step[o];
    }
    k = 0;
    if (++j == b.count) j = 0, ++i;
  }
}

// Calls run(pointers, count) for every inner loop. `at` holds the address of the first byte of each
// operand.
template <size_t K, class Run>
[[gnu::always_inline]] inline void for_each_run(const Nest<K>& nest,
                                                const std::array<uint8_t*, K>& at, const Run& run) {
  const auto& [a, b, c] = nest.outer;
  for (size_t i = 0; i < a.count; ++i)
    for (size_t j = 0; j < b.count; ++j) {
      std::array<uint8_t*, K> p = at;
      for (size_t k = 0; k < K; ++k) p[k] += i * a.step[k] + j * b.step[k];
      for (size_t left = c.count; left > 0; --left) {
        run(p, nest.inner.count);
        for (size_t k = 0; k < K; ++k) p[k] += c.step[k];
      }
    }
}

// Returns the number of moved bytes that is worth a task.
inline uint64_t bytes_per_task() { return task_of(16 << 10, 256 << 10); }

}  // namespace tputwin::fast
