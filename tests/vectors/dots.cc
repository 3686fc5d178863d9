// The steps of dot products compared with plain C++, on every instruction set of this host: all
// pairs of bytes of the signs that a step supports, and int16.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "vectors/dots.cc"
#include "ops/fast/dispatch/foreach_target.h"  // must come before highway.h

#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <algorithm>
#include <type_traits>

#include "ops/fast/fast.h"
#include "ops/fast/gemm/kernels/dot-inl.h"
#include "vectors/values.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::vectors::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
namespace kernels = fast::HWY_NAMESPACE;

// The requirements of a step on its factors.
struct Factors {
  int32_t data_bits = -1;  // bits that are not 0
  int32_t least_weight = INT32_MIN;
};

// Sums begin at the end of the int32 range: they wrap, and do not saturate.
template <class Dot, class Data, class Weight>
void CompareSteps(const Factors& factors = {}) {
  using T = std::make_unsigned_t<Data>;
  constexpr size_t kTerms = sizeof(int32_t) / sizeof(T);
  const kernels::I32 d;
  Pairs<T> all = pairs<T>();
  for (T& data : all.a) data &= static_cast<T>(factors.data_bits);
  for (T& weight : all.b)
    weight = static_cast<T>(std::max<int32_t>(static_cast<Weight>(weight), factors.least_weight));
  HWY_ALIGN int32_t sums[kernels::kElements32];
  for (size_t i = 0; i + kTerms * kernels::kElements32 <= all.a.size();
       i += kTerms * kernels::kElements32) {
    const auto load = [&](const std::vector<T>& from) HWY_ATTR {
      return hn::LoadU(d, reinterpret_cast<const int32_t*>(&from[i]));
    };
    hn::Store(Dot::step(kernels::ints(INT32_MAX), load(all.a), load(all.b)), d, sums);
    for (size_t k = 0; k < kernels::kElements32; ++k) {
      uint32_t expected = INT32_MAX;
      for (size_t at = i + k * kTerms; at < i + (k + 1) * kTerms; ++at)
        expected += static_cast<uint32_t>(int32_t{static_cast<Data>(all.a[at])} *
                                          static_cast<Weight>(all.b[at]));
      ASSERT_EQ(static_cast<uint32_t>(sums[k]), expected)
          << fast::selected_isa() << ", pairs " << i + k * kTerms << " and following";
    }
  }
}

// Returns true if products of bytes have steps.
bool Bytes() {
#if TPUTWIN_HAVE_BYTE_STEPS
  constexpr bool kSame = kernels::kDataAsWeights;
  using FactorOfSigned = std::conditional_t<kSame, int8_t, uint8_t>;
  using FactorOfUnsigned = std::conditional_t<kSame, uint8_t, int8_t>;
  CompareSteps<kernels::SignedWeightsDot, FactorOfSigned, int8_t>();
  CompareSteps<kernels::UnsignedWeightsDot, FactorOfUnsigned, uint8_t>();
#endif
#if TPUTWIN_HAVE_NARROW_STEPS
  CompareSteps<kernels::NarrowDot, uint8_t, int8_t>({.data_bits = 0x7f});
  CompareSteps<kernels::MovedSignDot, int8_t, int8_t>({.least_weight = -127});
#endif
  return TPUTWIN_HAVE_BYTE_STEPS != 0;
}

void Int16Products() { CompareSteps<kernels::WordDot, int16_t, int16_t>(); }

}  // namespace
}  // namespace tputwin::vectors::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tputwin::vectors {
namespace {

HWY_EXPORT(Bytes);
HWY_EXPORT(Int16Products);

TEST(Dots, StepsAreExact) {
  for (const std::string& isa : fast::available_isas()) {
    if (isa == "reference" || !fast::select_isa(isa)) continue;
    EXPECT_TRUE(TPUTWIN_DISPATCH(Bytes)()) << isa;
    TPUTWIN_DISPATCH(Int16Products)();
  }
  fast::select_isa("");
}

}  // namespace
}  // namespace tputwin::vectors
#endif
