// Loads and stores 8-bit elements, and 16-bit elements in two byte planes, as integer vectors.
// Included once per target (see Highway's foreach_target.h).
#if defined(TPUTWIN_FAST_BYTE_PLANES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TPUTWIN_FAST_BYTE_PLANES_INL_H
#undef TPUTWIN_FAST_BYTE_PLANES_INL_H
#else
#define TPUTWIN_FAST_BYTE_PLANES_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <type_traits>

#include "memory/tensor_view.h"
#include "ops/fast/vec/bytes-inl.h"
#include "ops/fast/vec/narrow-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// An operand, widened to elements of D. Its form is known before the loop. The branches in Load()
// cost less than extending the sign by arithmetic.
template <class D>
class PlaneSource {
 public:
  PlaneSource(const TensorView& v, bool wide)
      : is_signed_(is_signed(v.dtype)), wide_(wide), high_(v.plane_stride) {}
  explicit PlaneSource(int32_t c) : constant_(true), value_(static_cast<hn::TFromD<D>>(c)) {}

  template <bool kWhole>
  HWY_INLINE hn::Vec<D> Load(D d, const uint8_t* p, size_t n) const {
    if (constant_) return hn::Set(d, value_);
    if (!wide_) return Widen<kWhole>(d, p, n);
    const hn::Rebind<uint8_t, D> d8;
    const auto low = hn::PromoteTo(d, LoadBytes<kWhole>(d8, p, n));
    return hn::Or(low, hn::ShiftLeft<8>(Widen<kWhole>(d, p + high_, n)));
  }

 private:
  // Loads one byte plane: the plane of bytes, or the upper one.
  template <bool kWhole>
  HWY_INLINE hn::Vec<D> Widen(D d, const uint8_t* p, size_t n) const {
    if constexpr (std::is_signed_v<hn::TFromD<D>>)
      if (is_signed_) return hn::PromoteTo(d, LoadBytes<kWhole>(hn::Rebind<int8_t, D>(), p, n));
    return hn::PromoteTo(d, LoadBytes<kWhole>(hn::Rebind<uint8_t, D>(), p, n));
  }

  bool constant_ = false, is_signed_ = false, wide_ = false;
  size_t high_ = 0;  // distance of the high-byte plane
  hn::TFromD<D> value_ = 0;
};

// The destination of results, which are clamped to [low, high] and split into byte planes.
template <class D>
struct PlaneSink {
  using T = hn::TFromD<D>;
  bool wide;
  size_t plane;
  T low, high;

  explicit PlaneSink(const TensorView& v) : wide(is_16bit(v.dtype)), plane(v.plane_stride) {
    // elements as narrow as the type need no clamp
    auto clamp = [](int64_t x) {
      return static_cast<T>(std::clamp<int64_t>(x, hwy::LimitsMin<T>(), hwy::LimitsMax<T>()));
    };
    int64_t top = (int64_t{1} << ((wide ? 16 : 8) - is_signed(v.dtype))) - 1;
    high = clamp(top);
    low = clamp(is_signed(v.dtype) ? -top - 1 : 0);
  }

  HWY_INLINE hn::Vec<D> Clamp([[maybe_unused]] D d, hn::Vec<D> v) const {
    return hn::Min(hn::Max(v, hn::Set(d, low)), hn::Set(d, high));
  }

  template <bool kWhole>
  HWY_INLINE void Store(D d, hn::Vec<D> v, uint8_t* p, size_t n) const {
    const hn::Rebind<uint8_t, D> d8;
    StoreBytes<kWhole>(d8, LowBits<uint8_t>(d, v), p, n);
    if (wide) {
      auto upper = hn::ShiftRight<8>(v);  // its low byte does not depend on the sign
      StoreBytes<kWhole>(d8, LowBits<uint8_t>(d, upper), p + plane, n);
    }
  }
};

}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
