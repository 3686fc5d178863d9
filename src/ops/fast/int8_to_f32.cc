// int8_to_f32: a pass that copies words, then one that converts the copy.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/int8_to_f32.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "ops/elementwise/int8_to_f32.h"
#include "ops/fast/fast.h"
#include "ops/fast/select/isa.h"
#include "ops/fast/vec/bytes-inl.h"
#include "ops/fast/walk/streams-inl.h"

#ifndef TPUTWIN_FAST_INT8_TO_F32_ONCE
#define TPUTWIN_FAST_INT8_TO_F32_ONCE
namespace tputwin::fast {

using WordStreams = Streams<2, 1>;  // to, from

}  // namespace tputwin::fast
#endif

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

struct Flip {
  static constexpr size_t kSources = 1;
  static constexpr bool kMakesNan = false;
  int32_t mask;
  HWY_INLINE Floats Apply(Floats x) const {
    return hn::BitCast(F32(), hn::Xor(hn::BitCast(I32(), x), hn::Set(I32(), mask)));
  }
};

// Byte number `index` of a word as a number, less `zero`.
struct ByteOfWord {
  static constexpr size_t kSources = 1;
  static constexpr bool kMakesNan = false;
  int index;
  int32_t zero;
  HWY_INLINE Floats Apply(Floats x) const {
    const I32 d;
    const Ints low = hn::ShiftRightSame(hn::BitCast(d, x), 8 * index);
    const Ints value = hn::Sub(hn::And(low, hn::Set(d, 0xff)), hn::Set(d, zero));
    return hn::ConvertTo(F32(), value);
  }
};

void FlipLanes(int32_t mask, const WordStreams& streams, const Memory& memory, size_t begin,
               size_t end) {
  compute_lanes(Flip{mask}, streams, memory, begin, end);
}

void CellLanes(int index, int32_t zero, const WordStreams& streams, const Memory& memory,
               size_t begin, size_t end) {
  compute_lanes(ByteOfWord{index, zero}, streams, memory, begin, end);
}

template <bool kWhole>
HWY_INLINE void convert(float* to, const uint8_t* from, int32_t zero, size_t n) {
  const F32 d;
  const I32 di;
  const hn::Rebind<uint8_t, I32> d8;
  const Ints value = hn::PromoteTo(di, LoadBytes<kWhole>(d8, from, n));
  const Floats result = hn::ConvertTo(d, hn::Sub(value, hn::Set(di, zero)));
  if constexpr (kWhole) return hn::StoreU(result, d, to);
  HWY_ALIGN float room[kMostLanes];
  hn::Store(result, d, room);
  std::memcpy(to, room, n * kElement);
}

// Rows of bytes to rows of numbers.
void ByteLanes(int32_t zero, const TensorView& out, const TensorView& bytes, const Memory& memory,
               size_t begin, size_t end) {
  const size_t lanes = hn::Lanes(F32());
  const Slots slots = local_slots(out.shape, memory.local);
  for (size_t slot = begin; slot < end; ++slot) {
    const auto c = static_cast<uint32_t>(slot);
    const Nest<2> nest = slot_nest<2>({&out, &bytes}, slots, slots.turns(slot));
    const bool dense = nest.dense({kElement, 1});
    uint8_t* const to = memory.byte(out, 0, c, 0, 0);
    const uint8_t* const from = memory.byte(bytes, 0, c, 0, 0);
    for_each_inner(nest, 0, nest.runs(), [&](const std::array<size_t, 2>& offset) HWY_ATTR {
      auto at = [&](size_t i) {
        return reinterpret_cast<float*>(to + offset[0] + i * nest.inner.step[0]);
      };
      const uint8_t* p = from + offset[1];
      const size_t count = nest.inner.count, whole = dense ? count - count % lanes : 0;
      for (size_t i = 0; i < whole; i += lanes) convert<true>(at(i), p + i, zero, 0);
      if (dense && whole < count) convert<false>(at(whole), p + whole, zero, count - whole);
      if (dense) return;
      for (size_t i = 0; i < count; ++i) convert<false>(at(i), p + i * nest.inner.step[1], zero, 1);
    });
  }
}

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tputwin::fast {
namespace {

HWY_EXPORT(FlipLanes);
HWY_EXPORT(CellLanes);
HWY_EXPORT(ByteLanes);

// The copy consists of what the conversion reads.
bool covered(const Int8ToF32& op, const TensorView& copy, const LocalMemory& local) {
  const Shape& s = op.out.shape;
  const bool rows = s.w == 1 || (op.out.stride.w == kElement &&
                                 copy.stride.w == copy.pack * element_bytes(copy.dtype));
  return rows && copy.space == Space::local && copy.shape == s && streamable(op.out, s) &&
         (copy.pack == 1 || op.work.shape == Shape{cells(copy), s.c, s.h, s.w}) &&
         distinct_elements(op.out, local) && disjoint({&op.out}, {&op.work}, local);
}

// Elements n = index, index + 4, ... and the cells they lie in.
WordStreams every_fourth(const Int8ToF32& op, uint32_t index) {
  TensorView out = op.out, cells = op.work;
  out.shape.n = cells.shape.n = (op.out.shape.n - index + 3) / 4;
  out.address += uint64_t{index} * out.stride.n;
  out.stride.n *= 4;
  return {{out, cells}};
}

}  // namespace

bool execute(const Int8ToF32& op, const Memory& memory) {
  const LocalMemory& local = memory.local;
  const WordStreams words{{op.work, op.words}};
  const TensorView copy = op.copy();
  if (!vectors_enabled() || !words.regular(local) || !covered(op, copy, local)) return false;
  const bool flips = is_signed(op.in.dtype);
  const int32_t mask = flips ? static_cast<int32_t>(0x8080'8080) : 0, zero = flips ? 128 : 0;
  for_lanes(op.words.shape, local, 1, [&](size_t begin, size_t end) {
    HWY_DYNAMIC_DISPATCH(FlipLanes)(mask, words, memory, begin, end);
  });
  if (copy.pack == 1) {
    for_lanes(op.out.shape, local, 1, [&](size_t begin, size_t end) {
      HWY_DYNAMIC_DISPATCH(ByteLanes)(zero, op.out, copy, memory, begin, end);
    });
    return true;
  }
  for (uint32_t index = 0; index < std::min(op.out.shape.n, 4u); ++index) {
    const WordStreams streams = every_fourth(op, index);
    for_lanes(op.out.shape, local, 1, [&](size_t begin, size_t end) {
      HWY_DYNAMIC_DISPATCH(CellLanes)(static_cast<int>(index), zero, streams, memory, begin, end);
    });
  }
  return true;
}

}  // namespace tputwin::fast
#endif
