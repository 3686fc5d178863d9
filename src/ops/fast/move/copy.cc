// copy: runs that lie together on both sides, fills, and single elements for the rest.
#include <cstring>
#include <vector>

#include "ops/contract/source.h"
#include "ops/fast/fast.h"
#include "ops/fast/select/body.h"
#include "ops/fast/views/views.h"
#include "ops/fast/walk/by_width.h"
#include "ops/fast/walk/copy.h"
#include "ops/fast/walk/nest.h"
#include "ops/fast/walk/transpose.h"
#include "ops/fast/walk/transposed_copy.h"
#include "ops/move/copy.h"

namespace tputwin::fast {
namespace {

// Slots walked together: neighbouring channels share cache lines and pages of system memory, but
// lanes begin at equal places modulo any cache's stride.
constexpr size_t kSlotsAtOnce = 4;

// The inner loop: `count` elements from src to dst.
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

// One element for all.
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

// Where one side begins, slot by slot; nothing moves in a constant.
struct Side {
  const TensorView& view;
  const Memory& memory;
  const uint8_t* constant = nullptr;

  uint8_t* at(size_t slot) const {
    if (constant != nullptr) return const_cast<uint8_t*>(constant);
    return memory.byte(view, 0, static_cast<uint32_t>(slot), 0, 0);
  }
};

struct CopyPlan {
  Side dst, src;
  Slots slots;

  Nest<2> nest(uint32_t turns) const { return slot_nest<2>({&dst.view, &src.view}, slots, turns); }
  size_t element() const { return run_bytes(dst.view); }
};

// The runs [begin, end) of each of the slots [first, last), which have equally many turns.
void copy_slots(const CopyPlan& plan, size_t first, size_t last, size_t begin, size_t end) {
  const Nest<2> nest = plan.nest(plan.slots.turns(first));
  const CopyLoop copy = copy_loop(nest, plan.element());
  std::array<uint8_t*, kSlotsAtOnce> dst, src;
  for (size_t i = 0; i < last - first; ++i)
    dst[i] = plan.dst.at(first + i), src[i] = plan.src.at(first + i);
  for_each_inner(nest, begin, end, [&](const std::array<size_t, 2>& offset) {
    for (size_t i = 0; i < last - first; ++i)
      copy(dst[i] + offset[0], src[i] + offset[1], nest.inner);
  });
}

// Groups of slots that are walked together: up to kSlotsAtOnce, all with the same turns.
struct Group {
  size_t first, last;
};
std::vector<Group> group_slots(const Slots& slots) {
  std::vector<Group> groups;
  for (size_t first = 0; first < slots.count;) {
    size_t last = first + 1;
    while (last < slots.count && last - first < kSlotsAtOnce &&
           slots.turns(last) == slots.turns(first))
      ++last;
    groups.push_back({first, last});
    first = last;
  }
  return groups;
}

// One run between contiguous sides, which threads share byte by byte.
bool copy_single_run(const CopyPlan& plan, uint64_t bytes) {
  if (plan.slots.count != 1) return false;
  Nest<2> nest = plan.nest(plan.slots.turns(0));
  if (nest.runs() != 1) return false;
  const CopyLoop copy = copy_loop(nest, plan.element());
  uint8_t *dst = plan.dst.at(0), *src = plan.src.at(0);
  share_out(nest.inner.count, bytes, kBytesPerTask, [&](size_t begin, size_t end) {
    copy(dst + begin * nest.inner.step[0], src + begin * nest.inner.step[1],
         {end - begin, nest.inner.step});
  });
  return true;
}

void copy(const CopyPlan& plan) {
  const uint64_t bytes = 2 * plan.dst.view.shape.count() * plan.element();
  if (copy_single_run(plan, bytes)) return;
  const std::vector<Group> groups = group_slots(plan.slots);
  // Slots differ by one turn at most, and either may merge better.
  const size_t runs = std::max(plan.nest(plan.slots.turns(0)).runs(),
                               plan.nest(plan.slots.turns(plan.slots.count - 1)).runs());
  share_out(groups.size() * runs, bytes, kBytesPerTask, [&](size_t begin, size_t end) {
    for (size_t item = begin; item < end;) {
      const size_t run = item % runs, take = std::min(end - item, runs - run);
      const Group& group = groups[item / runs];
      const size_t own = plan.nest(plan.slots.turns(group.first)).runs();
      if (run < own) copy_slots(plan, group.first, group.last, run, std::min(run + take, own));
      item += take;
    }
  });
}

bool plain(const TensorView& v) { return v.pack == 1 && is_run(v); }

// Results that may be written in any order.
bool writable(const TensorView& dst, const Memory& memory) {
  return plain(dst) && distinct(dst, memory.local);
}

Slots slots_of(const TensorView& dst, const TensorView& src, const Memory& memory) {
  const bool lanes = dst.space == Space::local || src.space == Space::local;
  return lanes ? local_slots(dst.shape, memory.local) : one_slot(dst.shape);
}

constexpr Declined kNotFree = "packed, or results overlap each other";

Declined fill(const Copy& op, const Memory& memory) {
  const TensorView& dst = op.dst;
  if (!op.src.is_constant) return "no constant";
  if (is_empty(dst.shape) || !writable(dst, memory)) return kNotFree;
  TensorView none = dst;
  none.stride = {0, 0, 0, 0};
  uint8_t constant[4];
  Memory::store(constant, op.src.constant);
  copy({{dst, memory}, {none, memory, constant}, slots_of(dst, dst, memory)});
  return kRan;
}

// Why elements cannot be copied in any order.
Declined elements_decline(const Copy& op, const Memory& memory) {
  const TensorView &dst = op.dst, &src = op.src.view;
  if (op.src.is_constant || is_empty(dst.shape)) return "a constant, or no elements";
  if (!writable(dst, memory) || !plain(src)) return kNotFree;
  if (dst.shape != src.shape || run_bytes(dst) != run_bytes(src)) return "shapes or types differ";
  return same_bytes(dst, src) || disjoint(dst, src, memory.local) ? kRan
                                                                  : "results overlap a source";
}

Declined tiles(const Copy& op, const Memory& memory) {
  const auto axes = crossing_axes(op.dst, op.src.view);
  if (!axes) return "no crossing axes";
  if (const Declined why = elements_decline(op, memory)) return why;
  copy_transposed(op.dst, op.src.view, *axes, memory);
  return kRan;
}

Declined runs(const Copy& op, const Memory& memory) {
  const TensorView &dst = op.dst, &src = op.src.view;
  if (!op.src.is_constant && same_bytes(dst, src)) return kRan;
  if (const Declined why = elements_decline(op, memory)) return why;
  copy({{dst, memory}, {src, memory}, slots_of(dst, src, memory)});
  return kRan;
}

constexpr Body<Copy> kBodies[] = {{"fill", fill}, {"tiles", tiles}, {"runs", runs}};

// `channels` channels of a matrix from channel `first` on, with that many columns each, of the
// `width` a channel of the side in lanes has.
TensorView channels_of(const MatrixView& m, uint32_t width, uint32_t first, const Shape& shape,
                       const LocalMemory& local) {
  TensorView view = m.tensor;
  view.shape = shape;
  if (view.space != Space::local) {
    view.stride.c = width * view.stride.w;
    view.address += uint64_t{first} * view.stride.c;
    return view;
  }
  const uint64_t lane = view.address / local.lane_bytes() + first;
  view.address = lane % local.lanes() * local.lane_bytes() + view.address % local.lane_bytes() +
                 lane / local.lanes() * view.stride.c;
  return view;
}

bool is_system_matrix(const MatrixView& m) {
  return is_system(m.tensor.space) && m.tensor.shape.w == m.cols;
}

// A matrix in system memory whose columns are the runs.
bool lies(const MatrixView& system) {
  const TensorView& t = system.tensor;
  return system.cols > 1 && t.stride.w != run_bytes(t) &&
         (system.rows == 1 || t.stride.n == run_bytes(t));
}

// Channel by channel.
void transpose_matrix(const MatrixView& lanes, const MatrixView& system, bool to_lanes,
                      const Memory& memory) {
  const uint32_t width = lanes.tensor.shape.w, bytes = run_bytes(lanes.tensor);
  const uint64_t moved = uint64_t{2} * lanes.rows * lanes.cols * bytes;
  share_out(ceil_div(lanes.cols, width), moved, kBytesPerTask, [&](size_t begin, size_t end) {
    std::vector<uint8_t*> rows(lanes.rows), columns;
    for (size_t channel = begin; channel < end; ++channel) {
      const auto c = static_cast<uint32_t>(channel);
      uint8_t* const first = memory.byte(lanes.tensor, 0, c, 0, 0);
      for (size_t r = 0; r < rows.size(); ++r) rows[r] = first + r * lanes.tensor.stride.n;
      columns.resize(std::min(width, lanes.cols - c * width));
      uint8_t* const column = memory.byte(system.tensor, 0, 0, 0, c * width);
      for (size_t i = 0; i < columns.size(); ++i) columns[i] = column + i * system.tensor.stride.w;
      if (to_lanes)
        transpose_rows(bytes, rows, columns, 0, rows.size());
      else
        transpose_rows(bytes, columns, rows, 0, columns.size());
    }
  });
}

// The side in lanes, and the other one.
struct MatrixSides {
  const MatrixView &lanes, &system;
  bool to_lanes;

  explicit MatrixSides(const CopyMatrix& op)
      : lanes(op.dst.tensor.space == Space::local ? op.dst : op.src),
        system(op.dst.tensor.space == Space::local ? op.src : op.dst),
        to_lanes(op.dst.tensor.space == Space::local) {}

  Declined decline(const CopyMatrix& op, const Memory& memory) const {
    if (lanes.rows == 0 || lanes.cols == 0) return "no elements";
    if (lanes.rows != system.rows || lanes.cols != system.cols ||
        lanes.tensor.space != Space::local || !is_system_matrix(system) ||
        lanes.tensor.shape.h != 1)
      return "not between a matrix in lanes and one in system memory";
    return writable(op.dst.tensor, memory) && plain(op.src.tensor) ? kRan : kNotFree;
  }
};

Declined transposed(const CopyMatrix& op, const Memory& memory) {
  const MatrixSides sides(op);
  if (const Declined why = sides.decline(op, memory)) return why;
  const TensorView& lanes = sides.lanes.tensor;
  if (!lies(sides.system)) return "the rows are the runs";
  if (lanes.shape.w > 1 && lanes.stride.w != run_bytes(lanes)) return "rows have gaps";
  transpose_matrix(sides.lanes, sides.system, sides.to_lanes, memory);
  return kRan;
}

// Whole channels of the side in lanes, then the columns of the last one.
Declined channels(const CopyMatrix& op, const Memory& memory) {
  const MatrixSides sides(op);
  if (const Declined why = sides.decline(op, memory)) return why;
  if (lies(sides.system)) return "the columns are the runs";
  const MatrixView& lanes = sides.lanes;
  const uint32_t width = lanes.tensor.shape.w;
  const uint32_t whole = lanes.cols / width, rest = lanes.cols % width;
  const Shape shapes[] = {{lanes.rows, whole, 1, width}, {lanes.rows, 1, 1, rest}};
  const uint32_t firsts[] = {0, whole};
  for (int part = 0; part < 2; ++part) {
    if (shapes[part].count() == 0) continue;
    const TensorView dst = channels_of(op.dst, width, firsts[part], shapes[part], memory.local);
    const TensorView src = channels_of(op.src, width, firsts[part], shapes[part], memory.local);
    copy({{dst, memory}, {src, memory}, slots_of(dst, src, memory)});
  }
  return kRan;
}

constexpr Body<CopyMatrix> kMatrixBodies[] = {{"transpose", transposed}, {"channels", channels}};

}  // namespace

bool execute(const Copy& op, const Memory& memory) { return run_best(kBodies, op, memory); }
bool execute(const CopyMatrix& op, const Memory& memory) {
  return run_best(kMatrixBodies, op, memory);
}

}  // namespace tputwin::fast
