// The steps of dot products, and products of matrix tiles, compared with plain C++ on every
// instruction set of this host: all pairs of bytes of the signs that a step supports, and int16.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "vectors/dots.cc"
#include "ops/fast/dispatch/foreach_target.h"  // must come before highway.h

#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <algorithm>
#include <random>
#include <type_traits>
#include <vector>

#include "ops/fast/fast.h"
#include "ops/fast/gemm/kernels/dot-inl.h"
#include "ops/fast/gemm/kernels/tile_order.h"
#include "ops/fast/gemm/kernels/tile_unit-inl.h"
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

#if TPUTWIN_HAVE_TILES
// A reduction of random cells, with the weights in the plain order.
struct Cells {
  size_t groups, taps, stride, positions;
  std::vector<uint32_t> data, weights, offsets;

  Cells(size_t groups_of_data, size_t taps_of_data, size_t count, uint32_t seed)
      : groups(groups_of_data), taps(taps_of_data), stride(count + 40), positions(count) {
    std::mt19937 random(seed);
    data.resize(groups * stride + 100);
    weights.resize(groups * taps * kernels::kTileRows);
    for (auto* cells : {&data, &weights})
      for (uint32_t& cell : *cells) cell = random() % 4 == 0 ? 0xff80'7f00u : random();
    for (size_t t = 0; t < taps; ++t) offsets.push_back(random() % 40);
  }

  template <class Data, class Weight>
  uint32_t sum(size_t row, size_t position) const {
    uint32_t total = 0;
    for (size_t g = 0; g < groups; ++g)
      for (size_t t = 0; t < taps; ++t) {
        const uint32_t x = data[g * stride + offsets[t] + position];
        const uint32_t w = weights[(g * taps + t) * kernels::kTileRows + row];
        for (size_t bit = 0; bit < 32; bit += 8)
          total +=
              static_cast<uint32_t>(static_cast<Data>(x >> bit) * static_cast<Weight>(w >> bit));
      }
    return total;
  }
};

void CompareTiles(const Cells& cells, bool signed_weights) {
  const size_t depth = fast::tile_depth(cells.groups);
  ASSERT_NE(depth, 0u);
  std::vector<uint32_t> ordered = cells.weights;
  fast::order_for_tiles({kernels::kTileRows, cells.taps, depth}, cells.groups, ordered.data());
  const fast::Reduction reduction{.data = cells.data.data(),
                                  .group_stride = cells.stride,
                                  .offsets = cells.offsets.data(),
                                  .taps = cells.taps,
                                  .groups = cells.groups,
                                  .weights = ordered.data(),
                                  .tile_depth = depth};
  std::vector<int32_t> sums(kernels::kTileRows * (cells.positions + kernels::kElements32));
  const size_t pitch = sums.size() / kernels::kTileRows;
  kernels::tile_blocks(signed_weights, reduction, 0, cells.positions,
                       [&](size_t position, size_t vectors, const int32_t* block) HWY_ATTR {
                         const size_t width = vectors * kernels::kElements32;
                         for (size_t row = 0; row < kernels::kTileRows; ++row)
                           std::copy_n(block + row * width, width,
                                       sums.data() + row * pitch + position);
                       });
  for (size_t row = 0; row < kernels::kTileRows; ++row)
    for (size_t p = 0; p < cells.positions; ++p)
      ASSERT_EQ(static_cast<uint32_t>(sums[row * pitch + p]),
                signed_weights ? (cells.sum<uint8_t, int8_t>(row, p))
                               : (cells.sum<int8_t, uint8_t>(row, p)))
          << fast::selected_isa() << ": groups " << cells.groups << ", taps " << cells.taps
          << ", row " << row << ", position " << p << " of " << cells.positions;
}
#endif

void Tiles() {
#if TPUTWIN_HAVE_TILES
  uint32_t seed = 0;
  for (const size_t groups : {6, 8, 10, 15, 16, 18, 32, 48})
    for (const size_t taps : {1, 9})
      for (const size_t positions : {1, 16, 17, 47, 48, 49, 100})
        for (const bool signed_weights : {true, false})
          CompareTiles(Cells(groups, taps, positions, ++seed), signed_weights);
#endif
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
HWY_EXPORT(Tiles);

TEST(Dots, StepsAreExact) {
  for (const std::string& isa : fast::available_isas()) {
    if (isa == "reference" || !fast::select_isa(isa)) continue;
    EXPECT_TRUE(TPUTWIN_DISPATCH(Bytes)()) << isa;
    TPUTWIN_DISPATCH(Int16Products)();
  }
  fast::select_isa("");
}

TEST(Dots, TilesAreExact) {
  for (const std::string& isa : fast::available_isas()) {
    if (!fast::select_isa(isa) || fast::tile_unit() == fast::TileUnit::none) continue;
    TPUTWIN_DISPATCH(Tiles)();
  }
  fast::select_isa("");
}

TEST(Dots, DepthsOfTilesDivideTheGroups) {
  for (size_t groups = 1; groups < 600; ++groups) {
    const size_t depth = fast::tile_depth(groups);
    if (depth == 0) continue;
    EXPECT_EQ(groups % depth, 0u) << groups;
    EXPECT_TRUE(depth >= fast::kLeastTileDepth && depth <= fast::kMostTileDepth) << groups;
  }
  EXPECT_EQ(fast::tile_depth(29), 0u);
  EXPECT_EQ(fast::tile_depth(64), 16u);
}

}  // namespace
}  // namespace tputwin::vectors
#endif
