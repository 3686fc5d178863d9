// Sums of groups of products (grouped-inl.h) that are rounded to 16 bits afterwards. A plain sum in
// fp32 is close to the chip's sum. Where all numbers within a proven bound round to one result, it
// is the chip's result. The other sums are computed as the chip does, a vector of them at a time.
// Included once per target (see Highway's foreach_target.h).
//
// Let u = 2^-24, and let p_i = a_i w_i be the products of a group. Factors of 16 bits have exact
// products in fp32, and have_normal_products() must hold for them. A and W are the largest
// magnitudes of the two kinds of factors of the group. The chip's sum after group g is C_g, and the
// plain sum is P_g. C_0 = P_0 is the start value.
//
// Cut-off. The chip cuts off below 2^(E-24), E the exponent of the largest product, so a product
// loses less than u A W. Factors have s bits after the first one, 7 for bf16 and 10 for fp16. So a
// product of factors with exponents e and f is a multiple of 2^(e+f-2s). It loses nothing if that
// is at least 2^(E-24). E is at most one more than the sum of the exponents of A and W. So a
// product loses something only if e or f is 12-s or more below the exponent of A or W, and no
// factor is 0. With the numbers n_a and n_w of such factors, a group loses less than
// u (n_a + n_w) A W.
//
// Chains. A group is summed in chains of 4 products by fused operations, or by products and sums,
// which err equally because products are exact. The first product of a chain has no error. The sum
// of the first k errs by at most u(|p_1| + ... + |p_k|)(1+u)^4. So the products of a chain count 3,
// 3, 2 and 1 times. An instruction for pairs of products adds them in two steps, in any order. Then
// the last product counts twice at most. So m_i is 3, 3, 2 and 2. A process uses the instruction
// only if its sums are such (bf16_pairs.cc).
//
// Sizes. Both losses of a group are less than u X Y by Cauchy's inequality, where X depends on the
// inputs only and Y on the weights only. They are the sizes of the factors:
//   X^2 = sum of m_i a_i^2 + A^2 (n_a^2 / 3 + 3),   Y^2 = sum of m_i w_i^2 + W^2 (n_w^2 / 3 + 3)
// since n_a + n_w = (n_a / r) r + r (n_w / r) with r^2 = 3. Sizes are rounded up by kSizeSlack.
// kLeastSquare is more than the squares that became 0 below 2^-126.
//
// Sums. Adding a chain to its group errs by at most u |new sum|. The chip rounds the group's sum
// with an error of at most u |sum|. Adding the group errs by at most u |P_g| in the plain sum. On
// the chip it errs by at most u |C_g| <= u (|P_g| + |C_g - P_g|). So let E be the sum of X Y of
// each group, |sum| of a group after each chain but the first, |sum| of each group, and 2 |P_g|.
// There are at most kMostRoundedGroups = 2^12 groups. For each,
//   |C_g - P_g| <= u E (1 + 2^-6) + kLeastBound.
// The factor covers |C_g - P_g| on the right side, u times 2^12, and the rounding of E, u times at
// most 12 operations for each of 2^12 groups. Numbers below 2^-126 may become 0. Less than 2^20 of
// them have a sum below kLeastBound.
//
// Decision. Rounding is monotone, so a result is decided if sum - bound and sum + bound round to
// the same bits. The last |P| counts once more for the errors of these two. Zeros of both signs
// have different bits, and a sum of 0 has neighbours of both signs, so it is never decided. If E is
// below kMostErrors, so is every |P|, and no C overflows. Otherwise, and for NaN, nothing is
// decided. A subnormal result is decided if the same subnormal, or the same zero, is on both sides.
#if defined(TPUTWIN_FAST_ROUNDED_GROUPS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TPUTWIN_FAST_ROUNDED_GROUPS_INL_H
#undef TPUTWIN_FAST_ROUNDED_GROUPS_INL_H
#else
#define TPUTWIN_FAST_ROUNDED_GROUPS_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "numerics/add_tree.h"
#include "ops/fast/gemm/kernels/dot-inl.h"
#include "ops/fast/gemm/kernels/group_sizes-inl.h"
#include "ops/fast/gemm/kernels/grouped-inl.h"
#include "ops/fast/gemm/kernels/tiles.h"
#include "ops/fast/vec/float16-inl.h"
#include "ops/fast/vec/float32-inl.h"

// True if the target may multiply pairs of bf16 by one instruction, if the processor has it. clang
// refuses the instruction in functions of this target.
#undef TPUTWIN_HAVE_BF16_PAIRS
#define TPUTWIN_HAVE_BF16_PAIRS (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3_DL && !HWY_COMPILER_CLANG)

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

constexpr float kErrorUnit = 0x1p-24f * (1 + 0x1p-6f), kLeastBound = 0x1p-100f,
                kMostErrors = 0x1p126f;

// Values of kR rows and kV vectors.
template <size_t kR, size_t kV>
using Block = Floats[kR][kV];

// Products of the cells of a channel, which are fp32.
struct SingleProducts {
  static constexpr size_t kChannels = 1;
  static HWY_INLINE Floats first(Floats inputs, const float* weight) {
    return hn::Mul(inputs, hn::Set(F32(), *weight));
  }
  static HWY_INLINE Floats add(Floats inputs, const float* weight, Floats sum) {
    return hn::MulAdd(inputs, hn::Set(F32(), *weight), sum);
  }
};

// Products of cells of two channels, which are bf16.
#if TPUTWIN_HAVE_BF16_PAIRS
struct PairProducts {
  static constexpr size_t kChannels = 2;
  static HWY_INLINE Floats first(Floats inputs, const float* weights) {
    return add(inputs, weights, hn::Zero(F32()));
  }
  static HWY_INLINE Floats add(Floats inputs, const float* weights, Floats sum) {
    auto raw = sum.raw;
    asm("vdpbf16ps %2%{1to16%}, %1, %0" : "+v"(raw) : "v"(inputs.raw), "m"(*weights));
    return Floats{raw};
  }
};
#else
using PairProducts = SingleProducts;  // no kernel has pairs
#endif

// Adds the products of a cell to chains, or starts the chains.
template <class Products, bool kStarts, size_t kR, size_t kV>
HWY_INLINE void AddProducts(const float* inputs, const float* weights, Block<kR, kV>& chains) {
#pragma GCC unroll 2
  for (size_t v = 0; v < kV; ++v) {
    const Floats input = hn::LoadU(F32(), inputs + v * kElements32);
#pragma GCC unroll 8
    for (size_t r = 0; r < kR; ++r)
      chains[r][v] = kStarts ? Products::first(input, weights + r)
                             : Products::add(input, weights + r, chains[r][v]);
  }
}

// Calls f(row, vector) for all of a block.
template <size_t kR, size_t kV, class F>
HWY_INLINE void ForBlock(const F& f) {
#pragma GCC unroll 8
  for (size_t r = 0; r < kR; ++r)
#pragma GCC unroll 2
    for (size_t v = 0; v < kV; ++v) f(r, v);
}

// Sums the products of a group of `count` cells in chains. `errors` counts the sums of chains.
template <class Products, size_t kR, size_t kV>
HWY_INLINE void SumGroup(const GroupFactors& factors, size_t count, Block<kR, kV>& group,
                         Block<kR, kV>& errors) {
  constexpr size_t kChain = kChainOfGroup / Products::kChannels;
  const float *inputs = factors.inputs, *weights = factors.weights;
  const size_t input_step = factors.input_step, weight_step = factors.weight_step;
  const auto next = [&]() HWY_ATTR { inputs += input_step, weights += weight_step; };
  const auto add = [&]<bool kStarts>(Block<kR, kV>& chains) HWY_ATTR {
    AddProducts<Products, kStarts, kR, kV>(inputs, weights, chains);
    next();
  };
  add.template operator()<true>(group);
  size_t i = 1;
  for (; i < std::min(count, kChain); ++i) add.template operator()<false>(group);
  for (; i < count; i += kChain) {
    Block<kR, kV> chains;
    add.template operator()<true>(chains);
    const size_t more = std::min(count - i, kChain) - 1;
    if (more == kChain - 1) {
#pragma GCC unroll 8
      for (size_t k = 0; k < kChain - 1; ++k) add.template operator()<false>(chains);
    } else {
      for (size_t k = 0; k < more; ++k) add.template operator()<false>(chains);
    }
    ForBlock<kR, kV>([&](size_t r, size_t v) HWY_ATTR {
      group[r][v] = hn::Add(group[r][v], chains[r][v]);
      errors[r][v] = hn::Add(errors[r][v], hn::Abs(group[r][v]));
    });
  }
}

// Calls f(factors, count, left sizes, right sizes) for each group of a tile. The group has `count`
// cells of kChannels channels.
template <size_t kChannels, class F>
HWY_INLINE void ForGroups(const Tile& tile, const Groups& groups, const F& f) {
  constexpr size_t kCells = kAddTreeGroup / kChannels;
  const bool is_pair = kChannels == 2;
  const float* const right = as_floats(is_pair ? groups.right_pairs : tile.right);
  GroupFactors factors{as_floats(is_pair ? groups.left_pairs : tile.left), tile.rows, nullptr,
                       groups.pitch};
  const float* left_sizes = groups.left_sizes;
  const size_t cells = (groups.channels + kChannels - 1) / kChannels;
  for (size_t first = 0, group = 0; first < cells; first += kCells, ++group) {
    const size_t count = std::min(kCells, cells - first);
    const float* const right_sizes = groups.right_sizes + group * groups.pitch;
    for (size_t tap = 0; tap < groups.taps; ++tap) {
      const size_t offset = groups.tap_offset[tap];
      factors.inputs = right + first * groups.pitch + offset;
      f(factors, count, left_sizes, right_sizes + offset);
      factors.weights += kCells * tile.rows;
      left_sizes += tile.rows;
    }
  }
}

// Results of a tile whose rounding is not decided.
struct OpenResults {
  int32_t rows[kMaxTileRows * kTilePitch + kElements32],
      columns[kMaxTileRows * kTilePitch + kElements32];
  size_t count = 0;
};

// Appends the results of a vector whose rounding is not decided to `open`.
template <DType kType>
HWY_INLINE void Decide(Floats sum, Floats errors, size_t row, size_t column, OpenResults& open) {
  const F32 d;
  const I32 di;
  errors = hn::Add(errors, hn::Abs(sum));
  const Floats bound = hn::MulAdd(errors, hn::Set(d, kErrorUnit), hn::Set(d, kLeastBound));
  const Ints low = to_bits<kType>(hn::Sub(sum, bound)), high = to_bits<kType>(hn::Add(sum, bound));
  const auto same = hn::Eq(hn::And(hn::Xor(low, high), ints(0xffff)), hn::Zero(di));
  const auto decided = hn::And(same, of_ints(hn::Lt(errors, hn::Set(d, kMostErrors))));
  if (hn::AllTrue(di, decided)) return;
  HWY_ALIGN int32_t is_decided[kElements32];
  hn::Store(hn::VecFromMask(di, decided), di, is_decided);
  for (size_t i = 0; i < kElements32; ++i) {
    if (is_decided[i] != 0) continue;
    open.rows[open.count] = static_cast<int32_t>(row);
    open.columns[open.count++] = static_cast<int32_t>(column + i);
  }
}

template <DType kType, class Products, size_t kR, size_t kV>
HWY_NOINLINE void RoundedBlock(const Tile& tile, const Groups& groups, const float* starts,
                               size_t row, size_t column, OpenResults& open) {
  const F32 d;
  float* const sums = as_floats(tile.sums) + row * kTilePitch + column;
  Block<kR, kV> errors;
  ForBlock<kR, kV>([&](size_t r, size_t v) HWY_ATTR {
    hn::StoreU(starts == nullptr ? hn::Zero(d) : hn::Set(d, starts[row + r]), d,
               sums + r * kTilePitch + v * kElements32);
    errors[r][v] = hn::Zero(d);
  });
  constexpr size_t kCells = kAddTreeGroup / Products::kChannels;
  ForGroups<Products::kChannels>(
      tile, groups,
      [&](GroupFactors factors, size_t count, const float* left, const float* right) HWY_ATTR {
        factors.weights += row;
        factors.inputs += column;
        Block<kR, kV> group;
        if (count == kCells)
          SumGroup<Products, kR, kV>(factors, kCells, group, errors);
        else
          SumGroup<Products, kR, kV>(factors, count, group, errors);
        ForBlock<kR, kV>([&](size_t r, size_t v) HWY_ATTR {
          float* const at = sums + r * kTilePitch + v * kElements32;
          const Floats sum = hn::Add(hn::LoadU(d, at), group[r][v]);
          hn::StoreU(sum, d, at);
          Floats& e = errors[r][v];
          e = hn::MulAdd(hn::LoadU(d, right + column + v * kElements32), hn::Set(d, left[row + r]),
                         hn::Add(e, hn::Abs(group[r][v])));
          e = hn::MulAdd(hn::Abs(sum), hn::Set(d, 2.0f), e);
        });
      });
  ForBlock<kR, kV>([&](size_t r, size_t v) HWY_ATTR {
    Decide<kType>(hn::LoadU(d, sums + r * kTilePitch + v * kElements32), errors[r][v], row + r,
                  column + v * kElements32, open);
  });
}

// Computes the plain sums of kR rows at a time. The last rows may be fewer.
template <DType kType, class Products, size_t kR = kTileRows>
void RoundedRows(const Tile& tile, const Groups& groups, const float* starts, OpenResults& open,
                 size_t row = 0) {
  // 32 registers hold the sums of one vector
  constexpr size_t kV = kTileRows == 8 ? 1 : 2;
  for (; row + kR <= tile.rows; row += kR) {
    size_t v = 0;
    for (; v + kV <= tile.vectors; v += kV)
      RoundedBlock<kType, Products, kR, kV>(tile, groups, starts, row, v * kElements32, open);
    if (v < tile.vectors)
      RoundedBlock<kType, Products, kR, 1>(tile, groups, starts, row, v * kElements32, open);
  }
  if constexpr (kR > 1)
    if (row < tile.rows) RoundedRows<kType, Products, kR / 2>(tile, groups, starts, open, row);
}

// Returns elements of `vectors` vectors, one for each index.
HWY_INLINE Floats Pick(const float* from, size_t vectors, Ints index) {
  const F32 d;
  const I32 di;
  const auto in_vector = hn::IndicesFromVec(d, hn::And(index, ints(kElements32 - 1)));
  Floats picked = hn::TableLookupLanes(hn::LoadU(d, from), in_vector);
  for (size_t v = 1; v < vectors; ++v) {
    const auto is_here = hn::Gt(index, hn::Set(di, static_cast<int32_t>(v * kElements32 - 1)));
    picked = hn::IfThenElse(of_floats(is_here),
                            hn::TableLookupLanes(hn::LoadU(d, from + v * kElements32), in_vector),
                            picked);
  }
  return picked;
}

// Computes a vector of results of a tile as the chip does, from result `first` of `open` on.
HWY_NOINLINE Floats Recompute(const Tile& tile, const Groups& groups, const float* starts,
                              const OpenResults& open, size_t first) {
  const F32 d;
  const Ints rows = hn::LoadU(I32(), open.rows + first),
             columns = hn::LoadU(I32(), open.columns + first);
  constexpr size_t kRowVectors = (kTileRows + kElements32 - 1) / kElements32;
  HWY_ALIGN float all_starts[kRowVectors * kElements32] = {};
  if (starts != nullptr) std::copy_n(starts, tile.rows, all_starts);
  Floats sum = Pick(all_starts, kRowVectors, rows);
  HWY_ALIGN float products[kAddTreeGroup * kElements32];
  ForGroups<1>(tile, groups,
               [&](const GroupFactors& factors, size_t count, const float*, const float*) HWY_ATTR {
                 Floats largest = hn::Zero(d);
                 for (size_t i = 0; i < count; ++i) {
                   const Floats product =
                       hn::Mul(Pick(factors.inputs + i * factors.input_step, tile.vectors, columns),
                               Pick(factors.weights + i * factors.weight_step, kRowVectors, rows));
                   hn::Store(product, d, products + i * kElements32);
                   largest = LargerNumber(largest, product);
                 }
                 const Alignment a(largest);
                 Ints total = hn::Zero(I32());
                 for (size_t i = 0; i < count; ++i)
                   total = hn::Add(total, a.aligned(hn::Load(d, products + i * kElements32)));
                 sum = hn::Add(sum, a.sum(total));
               });
  return sum;
}

RoundedSums Rounded(const Tile& tile, const Groups& groups, DType type, const float* starts) {
  const F32 d;
  OpenResults open;
  if (TPUTWIN_HAVE_BF16_PAIRS && groups.right_pairs != nullptr)
    RoundedRows<DType::bf16, PairProducts>(tile, groups, starts, open);
  else if (type == DType::bf16)
    RoundedRows<DType::bf16, SingleProducts>(tile, groups, starts, open);
  else
    RoundedRows<DType::f16, SingleProducts>(tile, groups, starts, open);
  std::fill_n(open.rows + open.count, kElements32, 0);
  std::fill_n(open.columns + open.count, kElements32, 0);
  Floats nan = hn::Zero(d);
  HWY_ALIGN float sums[kElements32];
  for (size_t first = 0; first < open.count; first += kElements32) {
    const Floats sum = Recompute(tile, groups, starts, open, first);
    nan = hn::Or(nan, nan_elements(sum));
    hn::Store(sum, d, sums);
    for (size_t i = first; i < std::min(open.count, first + kElements32); ++i)
      as_floats(tile.sums)[open.rows[i] * kTilePitch + open.columns[i]] = sums[i - first];
  }
  return {any_set(nan), static_cast<uint32_t>(open.count)};
}

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
