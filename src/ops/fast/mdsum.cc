// mdsum: byte sums of each plane. A 16-bit value is its low byte plus 256 times its high byte.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/mdsum.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "numerics/integer.h"
#include "ops/fast/dispatch/fast_kernel.h"
#include "ops/fast/fast.h"
#include "ops/fast/vec/bytes-inl.h"
#include "ops/fast/views/views.h"
#include "ops/fast/walk/nest.h"
#include "ops/pool/mdsum.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_SCALAR
int64_t SumRuns(const Nest<1>& runs, uint8_t* at, bool is_signed) {
  int64_t sum = 0;
  for_each_run<1>(runs, {at}, [&](const std::array<uint8_t*, 1>& p, size_t length) {
    for (size_t i = 0; i < length; ++i)
      sum += is_signed ? static_cast<int8_t>(p[0][i]) : int{p[0][i]};
  });
  return sum;
}
#else
int64_t SumRuns(const Nest<1>& runs, uint8_t* at, bool is_signed) {
  const hn::ScalableTag<uint8_t> d;
  const hn::Repartition<uint64_t, decltype(d)> d64;
  // Signed bytes are summed with an excess of 128. Bytes past a tail load as zero.
  const int64_t excess = is_signed ? 128 : 0;
  const auto flip = hn::Set(d, static_cast<uint8_t>(excess));
  auto sums = hn::Zero(d64);
  int64_t vectors = 0;
  for_each_run<1>(runs, {at}, [&](const std::array<uint8_t*, 1>& p, size_t length) HWY_ATTR {
    const size_t whole = length - length % hn::Lanes(d);
    for (size_t i = 0; i < whole; i += hn::Lanes(d), ++vectors)
      sums = hn::Add(sums, hn::SumsOf8(hn::Xor(hn::LoadU(d, p[0] + i), flip)));
    if (whole == length) return;
    auto tail = LoadBytes<false>(d, p[0] + whole, length - whole);
    sums = hn::Add(sums, hn::SumsOf8(hn::Xor(tail, flip)));
    ++vectors;
  });
  const int64_t total = static_cast<int64_t>(hn::GetLane(hn::SumOfLanes(d64, sums)));
  return total - vectors * static_cast<int64_t>(hn::Lanes(d)) * excess;
}
#endif

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tputwin::fast {
namespace {

HWY_EXPORT(SumRuns);

int64_t sum_channel(const TensorView& a, const Nest<1>& runs, uint8_t* at) {
  if (!is_16bit(a.dtype)) return HWY_DYNAMIC_DISPATCH(SumRuns)(runs, at, is_signed(a.dtype));
  return HWY_DYNAMIC_DISPATCH(SumRuns)(runs, at, false) +
         256 * HWY_DYNAMIC_DISPATCH(SumRuns)(runs, at + a.plane_stride, is_signed(a.dtype));
}

Declined runs(const Mdsum& op, const Memory& memory) {
  const Shape& s = op.a.shape;
  TensorView out = op.out;  // one byte per channel: high bytes are not written
  out.shape = {1, s.c, 1, 1};
  out.dtype = DType::u8;
  if (is_empty(s) || op.a.space != Space::local || out.space != Space::local ||
      !has_dense_rows(op.a))
    return "no rows of bytes in lanes";
  if (const Declined why = overlap(out, {&op.a}, memory.local)) return why;
  constexpr uint64_t kBytesWorthATask = 128 << 10;
  const Nest<1> runs = byte_nest<1>({&op.a}, local_slots(s, memory.local), 1);
  const size_t grain = grain_of(runs.runs() * runs.inner.count, kBytesWorthATask);
  parallel_for(s.c, grain, [&](size_t begin, size_t end) {
    for (uint32_t c = static_cast<uint32_t>(begin); c < end; ++c) {
      int64_t sum = sum_channel(op.a, runs, memory.byte(op.a, 0, c, 0, 0));
      *memory.byte(out, 0, c, 0, 0) = static_cast<uint8_t>(saturate(sum, op.out.dtype));
    }
  });
  return kRan;
}

}  // namespace

TW_FAST_KERNELS(Mdsum, {"runs", runs})

}  // namespace tputwin::fast
#endif
