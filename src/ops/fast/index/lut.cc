// lut: one permutation of the whole table per vector where the processor has it, otherwise byte by
// byte.
#define HWY_WANT_AVX3_DL  // VBMI looks bytes up in registers
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/index/lut.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "ops/fast/dispatch/fast_kernel.h"
#include "ops/fast/fast.h"
#include "ops/fast/vec/bytes-inl.h"
#include "ops/fast/views/views.h"
#include "ops/fast/walk/byte_lookup.h"
#include "ops/index/lut.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

#if HWY_TARGET <= HWY_AVX3_DL
struct Table {
  hn::Vec<hn::ScalableTag<uint8_t>> quarter[4];
};

template <bool kWhole>
HWY_INLINE void LookUp(const Table& table, uint8_t* out, const uint8_t* in, size_t n) {
  const hn::ScalableTag<uint8_t> d;
  const auto index = LoadBytes<kWhole>(d, in, n);
  // the permutation of two quarters uses seven bits, and the eighth selects the half
  auto half = [&](int first) HWY_ATTR {
    return _mm512_permutex2var_epi8(table.quarter[first].raw, index.raw,
                                    table.quarter[first + 1].raw);
  };
  const auto value = _mm512_mask_mov_epi8(half(0), _mm512_movepi8_mask(index.raw), half(2));
  StoreBytes<kWhole>(d, hn::Vec<decltype(d)>{value}, out, n);
}

void LookUpRuns(const Nest<2>& runs, uint8_t* out, uint8_t* in, const uint8_t* bytes) {
  const hn::ScalableTag<uint8_t> d;
  const Table table{{hn::LoadU(d, bytes), hn::LoadU(d, bytes + 64), hn::LoadU(d, bytes + 128),
                     hn::LoadU(d, bytes + 192)}};
  const auto span = [&](const std::array<uint8_t*, 2>& p, size_t length) HWY_ATTR {
    const size_t whole = length - length % hn::Lanes(d);
    for (size_t i = 0; i < whole; i += hn::Lanes(d)) LookUp<true>(table, p[0] + i, p[1] + i, 0);
    if (whole < length) LookUp<false>(table, p[0] + whole, p[1] + whole, length - whole);
  };
  for_each_run<2>(runs, {out, in}, span);
}
#else
void LookUpRuns(const Nest<2>& runs, uint8_t* out, uint8_t* in, const uint8_t* table) {
  for_each_run<2>(runs, {out, in}, [&](const std::array<uint8_t*, 2>& p, size_t length) {
    for (size_t i = 0; i < length; ++i) p[0][i] = table[p[1][i]];
  });
}
#endif

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tputwin::fast {

HWY_EXPORT(LookUpRuns);

void look_up_bytes(const Nest<2>& runs, uint8_t* out, const uint8_t* in, const uint8_t* table) {
  HWY_DYNAMIC_DISPATCH(LookUpRuns)(runs, out, const_cast<uint8_t*>(in), table);
}

namespace {

void look_up(const Lut& op, const Memory& memory, size_t begin, size_t end) {
  const LocalMemory& local = memory.local;
  const Slots slots = local_slots(op.out.shape, local);
  const uint64_t first_lane = op.in.address / local.lane_bytes();
  for (size_t slot = begin; slot < end; ++slot) {
    uint32_t c = static_cast<uint32_t>(slot);
    uint32_t lane = static_cast<uint32_t>((first_lane + c) % local.lanes());
    look_up_bytes(byte_nest<2>({&op.out, &op.in}, slots, slots.rounds(slot)),
                  memory.byte(op.out, 0, c, 0, 0), memory.byte(op.in, 0, c, 0, 0),
                  memory.byte(op.table, 0, lane, 0, 0));
  }
}

Declined runs(const Lut& op, const Memory& memory) {
  const Shape& s = op.out.shape;
  const LocalMemory& local = memory.local;
  if (is_empty(s) || op.in.shape != s || !has_byte_rows(op.out) || op.in.space != Space::local ||
      !has_dense_rows(op.in))
    return "no rows of bytes in lanes";
  if (is_16bit(op.table.dtype) || op.table.stride.w != 1 || op.table.stride.h != 16)
    return "the table is not 256 bytes side by side";
  if (!(same_bytes(op.out, op.in) || disjoint(op.out, op.in, local)) ||
      !disjoint(op.out, op.table, local))
    return "results overlap a source in part";
  constexpr uint64_t kBytesWorthATask = 64 << 10;
  const Slots slots = local_slots(s, local);
  parallel_for(slots.count, grain_of(s.count() / slots.count, kBytesWorthATask),
               [&](size_t begin, size_t end) { look_up(op, memory, begin, end); });
  return kRan;
}

}  // namespace

TW_FAST_KERNELS(Lut, {"runs", runs})

}  // namespace tputwin::fast
#endif
