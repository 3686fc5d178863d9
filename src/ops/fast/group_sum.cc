#include "ops/fast/group_sum.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/group_sum.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include <algorithm>

#include "numerics/add_tree.h"
#include "numerics/float16.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<float>;
using DI = hn::RebindToSigned<D>;
using V = hn::Vec<D>;
using VI = hn::Vec<DI>;

constexpr int32_t kInfinity = 0x7f80'0000;
// Below this exponent field the scale that aligns is no fp32 number.
constexpr int32_t kLowest = 24 << 23;

// Towards zero, of numbers that 32 bits hold.
HWY_INLINE VI Truncated(V v) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  return VI{_mm512_cvttps_epi32(v.raw)};
#elif HWY_ARCH_X86 && HWY_TARGET == HWY_AVX2
  return VI{_mm256_cvttps_epi32(v.raw)};
#elif HWY_ARCH_X86 && HWY_TARGET <= HWY_SSE2
  return VI{_mm_cvttps_epi32(v.raw)};
#else
  return hn::ConvertTo(DI(), v);
#endif
}

// 2^(exponent of the largest product - 127) goes to `unit`, the products in units of 2^-24 of that,
// cut off, are added up.
HWY_INLINE VI AlignedSum(const float* products, size_t count, VI largest, V& unit) {
  const D d;
  const DI di;
  const size_t lanes = hn::Lanes(d);
  const VI field = hn::Max(hn::And(largest, hn::Set(di, kInfinity)), hn::Set(di, kLowest));
  unit = hn::BitCast(d, field);
  const V scale = hn::BitCast(d, hn::Sub(hn::Set(di, (127 + 151) << 23), field));
  VI sum = hn::Zero(di);
  for (size_t t = 0; t < count; ++t)
    sum = hn::Add(sum, Truncated(hn::Mul(hn::Load(d, products + t * lanes), scale)));
  return sum;
}

// The sum of one group for a vector of columns; NaN where the reference body has to find it.
HWY_INLINE V GroupSum(const float* rows, size_t row_step, const float* columns,
                      const uint32_t* offset, size_t count) {
  const D d;
  const DI di;
  const size_t lanes = hn::Lanes(d);
  HWY_ALIGN float products[kAddTreeGroup * hn::MaxLanes(d)];
  VI largest = hn::Zero(di);
  for (size_t t = 0; t < count; ++t) {
    const V product = hn::Mul(hn::Set(d, rows[t * row_step]), hn::LoadU(d, columns + offset[t]));
    hn::Store(product, d, products + t * lanes);
    largest = hn::Max(largest, hn::BitCast(di, hn::Abs(product)));
  }
  V unit;
  const VI sum = AlignedSum(products, count, largest, unit);
  const V value = hn::Mul(hn::Mul(hn::ConvertTo(d, sum), hn::Set(d, 0x1p-24f)), unit);
  const auto tiny =
      hn::AndNot(hn::Eq(largest, hn::Zero(di)), hn::Lt(largest, hn::Set(di, kLowest)));
  const auto odd = hn::Or(tiny, hn::Gt(largest, hn::Set(di, kInfinity - 1)));
  return hn::IfThenElse(hn::RebindMask(d, odd), hn::NaN(d), value);
}

bool SumGroups(const GroupedTerms& terms, const GroupTile& tile) {
  const D d;
  const size_t lanes = hn::Lanes(d);
  for (size_t g = 0; g + 1 < terms.begin.size(); ++g) {
    const uint32_t first = terms.begin[g], count = terms.begin[g + 1] - first;
    for (size_t r = 0; r < tile.rows; ++r)
      for (size_t c = 0; c < tile.columns; c += lanes) {
        float* sum = tile.sums + r * kGroupPitch + c;
        const V group =
            GroupSum(tile.row_factors + first * tile.rows + r, tile.rows, tile.column_factors + c,
                     terms.column_offset.data() + first, count);
        hn::StoreU(hn::Add(hn::LoadU(d, sum), group), d, sum);
      }
  }
  VI nan = hn::Zero(DI());  // not 0 where a result is NaN
  for (size_t r = 0; r < tile.rows; ++r)
    for (size_t c = 0; c < tile.columns; c += lanes)
      nan = hn::Or(
          nan, hn::VecFromMask(
                   DI(),
                   hn::RebindMask(DI(), hn::IsNaN(hn::LoadU(d, tile.sums + r * kGroupPitch + c)))));
  return !hn::AllTrue(DI(), hn::Eq(nan, hn::Zero(DI())));
}

void WidenF16(const uint8_t* from, size_t count, float* to) {
  const D d;
  const hn::Rebind<hwy::float16_t, D> dh;
  const hn::Rebind<uint16_t, D> du;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto bits = hn::LoadU(du, reinterpret_cast<const uint16_t*>(from) + i);
    hn::StoreU(hn::PromoteTo(d, hn::BitCast(dh, bits)), d, to + i);
  }
  for (; i < count; ++i) to[i] = f16::to_f32(reinterpret_cast<const uint16_t*>(from)[i]);
}

void WidenBf16(const uint8_t* from, size_t count, float* to) {
  for (size_t i = 0; i < count; ++i)
    to[i] = bf16::to_f32(reinterpret_cast<const uint16_t*>(from)[i]);
}

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tputwin::fast {

HWY_EXPORT(SumGroups);
HWY_EXPORT(WidenF16);
HWY_EXPORT(WidenBf16);

bool sum_groups(const GroupedTerms& terms, const GroupTile& tile) {
  return HWY_DYNAMIC_DISPATCH(SumGroups)(terms, tile);
}
void widen_f16(const uint8_t* from, size_t count, float* to) {
  HWY_DYNAMIC_DISPATCH(WidenF16)(from, count, to);
}
void widen_bf16(const uint8_t* from, size_t count, float* to) {
  HWY_DYNAMIC_DISPATCH(WidenBf16)(from, count, to);
}

}  // namespace tputwin::fast
#endif
