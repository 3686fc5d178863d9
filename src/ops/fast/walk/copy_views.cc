// Copies and fills of views: in runs if both sides are contiguous, otherwise element by element.
#include "ops/fast/walk/copy_views.h"

#include <cstring>
#include <vector>

#include "ops/fast/walk/by_width.h"
#include "ops/fast/walk/copy.h"
#include "ops/fast/walk/nest.h"

namespace tputwin::fast {
namespace {

// kSlotsAtOnce is the number of slots that are copied together, run by run. Several slots use cache
// lines and pages of system memory better, because neighbouring channels share them. The slots must
// be few: lanes begin at equal addresses modulo any cache's stride, so only few of them stay in the
// cache.
constexpr size_t kSlotsAtOnce = 4;

// The inner loop: copies `count` elements from src to dst.
using CopyLoop = void (*)(uint8_t* dst, const uint8_t* src, const NestLoop<2>& loop);

template <size_t kBytes>
void copy_dense(uint8_t* dst, const uint8_t* src, const NestLoop<2>& loop) {
  copy_bytes(dst, src, loop.count * kBytes);
}

template <class T>
void copy_strided(uint8_t* dst, const uint8_t* src, const NestLoop<2>& loop) {
  for (size_t i = 0; i < loop.count; ++i, dst += loop.step[0], src += loop.step[1])
    Memory::store(dst, Memory::load<T>(src));
}

// Copies one element of src to all elements of dst.
template <class T>
void fill_dense(uint8_t* dst, const uint8_t* src, const NestLoop<2>& loop) {
  const T value = Memory::load<T>(src);
  constexpr size_t kChunk = 64 / sizeof(T);
  T pattern[kChunk];
  std::fill_n(pattern, kChunk, value);
  size_t left = loop.count;
  for (; left >= kChunk; left -= kChunk, dst += sizeof pattern)
    std::memcpy(dst, pattern, sizeof pattern);
  std::memcpy(dst, pattern, left * sizeof(T));
}

template <class T>
CopyLoop copy_loop(const Nest<2>& nest) {
  const bool one = nest.inner.count == 1;
  if (!one && nest.inner.step[0] != sizeof(T)) return copy_strided<T>;
  if (one || nest.inner.step[1] == sizeof(T)) return copy_dense<sizeof(T)>;
  return nest.inner.step[1] == 0 ? fill_dense<T> : copy_strided<T>;
}

CopyLoop copy_loop(const Nest<2>& nest, size_t bytes) {
  return by_width(bytes, [&]<class T>(T) { return copy_loop<T>(nest); });
}

// Holds one side of a copy, and finds its start in each slot. A constant has one address for all
// slots.
struct Side {
  const TensorView& view;
  const Memory& memory;
  const uint8_t* constant = nullptr;

  uint8_t* at(size_t slot) const {
    if (constant != nullptr) return const_cast<uint8_t*>(constant);
    return memory.byte(view, 0, static_cast<uint32_t>(slot), 0, 0);
  }
};

struct CopyJob {
  Side dst, src;
  Slots slots;

  Nest<2> nest(uint32_t rounds) const {
    return slot_nest<2>({&dst.view, &src.view}, slots, rounds);
  }
  size_t element() const { return run_bytes(dst.view); }
  // Returns the work in bytes moved. An element that is copied by itself takes as long as
  // kElementCost bytes of a run, and a run takes as long as kRunCost bytes at least.
  uint64_t work() const {
    constexpr uint64_t kElementCost = 16, kRunCost = 64;
    const Nest<2> loops = nest(slots.rounds(0));
    const bool is_dense = loops.inner.step[0] == element() &&
                          (loops.inner.step[1] == element() || loops.inner.step[1] == 0);
    const uint64_t run = is_dense ? std::max(2 * loops.inner.count * element(), kRunCost)
                                  : loops.inner.count * kElementCost;
    return run * loops.runs() * slots.count;
  }
};

// Copies the runs [begin, end) of each of the slots [first, last), which must have equally many
// channels.
void copy_slots(const CopyJob& job, size_t first, size_t last, size_t begin, size_t end) {
  const Nest<2> nest = job.nest(job.slots.rounds(first));
  const CopyLoop copy = copy_loop(nest, job.element());
  std::array<uint8_t*, kSlotsAtOnce> dst, src;
  for (size_t i = 0; i < last - first; ++i)
    dst[i] = job.dst.at(first + i), src[i] = job.src.at(first + i);
  for_each_inner(nest, begin, end, [&](const std::array<size_t, 2>& offset) {
    for (size_t i = 0; i < last - first; ++i)
      copy(dst[i] + offset[0], src[i] + offset[1], nest.inner);
  });
}

// Describes slots that are copied together: at most kSlotsAtOnce, all with equally many channels.
struct Group {
  size_t first, last;
};
std::vector<Group> group_slots(const Slots& slots) {
  std::vector<Group> groups;
  for (size_t first = 0; first < slots.count;) {
    size_t last = first + 1;
    while (last < slots.count && last - first < kSlotsAtOnce &&
           slots.rounds(last) == slots.rounds(first))
      ++last;
    groups.push_back({first, last});
    first = last;
  }
  return groups;
}

// Copies one run between contiguous sides; threads share its bytes.
bool copy_single_run(const CopyJob& job, uint64_t work) {
  if (job.slots.count != 1) return false;
  Nest<2> nest = job.nest(job.slots.rounds(0));
  if (nest.runs() != 1) return false;
  const CopyLoop copy = copy_loop(nest, job.element());
  uint8_t *dst = job.dst.at(0), *src = job.src.at(0);
  share_out(nest.inner.count, work, bytes_per_task(), [&](size_t begin, size_t end) {
    copy(dst + begin * nest.inner.step[0], src + begin * nest.inner.step[1],
         {end - begin, nest.inner.step});
  });
  return true;
}

void copy_all(const CopyJob& job) {
  const uint64_t work = job.work();
  if (copy_single_run(job, work)) return;
  const std::vector<Group> groups = group_slots(job.slots);
  // The first slot has as many channels as the last one, or one more. Loops of either may merge to
  // fewer runs.
  const size_t runs = std::max(job.nest(job.slots.rounds(0)).runs(),
                               job.nest(job.slots.rounds(job.slots.count - 1)).runs());
  share_out(groups.size() * runs, work, bytes_per_task(), [&](size_t begin, size_t end) {
    for (size_t item = begin; item < end;) {
      const size_t run = item % runs, take = std::min(end - item, runs - run);
      const Group& group = groups[item / runs];
      const size_t own = job.nest(job.slots.rounds(group.first)).runs();
      if (run < own) copy_slots(job, group.first, group.last, run, std::min(run + take, own));
      item += take;
    }
  });
}

Slots slots_of(const TensorView& dst, const TensorView& src, const Memory& memory) {
  const bool lanes = dst.space == Space::local || src.space == Space::local;
  return lanes ? local_slots(dst.shape, memory.local) : one_slot(dst.shape);
}

}  // namespace

void copy_view(const TensorView& dst, const TensorView& src, const Memory& memory) {
  copy_all({{dst, memory}, {src, memory}, slots_of(dst, src, memory)});
}

void fill_view(const TensorView& dst, uint32_t constant, const Memory& memory) {
  TensorView none = dst;
  none.stride = {0, 0, 0, 0};
  uint8_t element[4];
  Memory::store(element, constant);
  copy_all({{dst, memory}, {none, memory, element}, slots_of(dst, dst, memory)});
}

}  // namespace tputwin::fast
