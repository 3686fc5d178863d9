// pool2d of the BM1880. Maxima of planes and of windows with stride 2 are read in place. Where the
// processor permutes bytes, so are maxima and sums of whole vectors of inputs, and sums of whole
// planes. Otherwise vectors go along rows that are laid out with their padding.
#define HWY_WANT_AVX3_DL  // permutes bytes
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/pool2d_bm1880.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "base/parallel.h"
#include "ops/fast/fast.h"
#include "ops/fast/gemm/kernels/dot-inl.h"
#include "ops/fast/window/byte_sums-inl.h"
#include "ops/fast/window/flat_planes.h"
#include "ops/fast/window/maxima-inl.h"
#include "ops/fast/window/vector_blocks.h"
#include "ops/pool/pool2d_bm1880.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

template <class T>
HWY_INLINE void MaximumRow(std::span<const TapRow> taps, uint8_t* out, size_t width) {
  const hn::ScalableTag<T> d;
  const hn::ScalableTag<uint8_t> du8;
  const size_t elements = hn::Lanes(d);
  for (size_t x = 0; x < width; x += elements) {
    auto largest = hn::Set(d, hwy::LimitsMin<T>());
    for (const TapRow& tap : taps)
      largest = hn::Max(largest, hn::LoadU(d, reinterpret_cast<const T*>(tap.in + x)));
    if (width - x >= elements)
      StoreBytes<true>(du8, hn::BitCast(du8, largest), out + x, elements);
    else
      StoreBytes<false>(du8, hn::BitCast(du8, largest), out + x, width - x);
  }
}

void PoolRow(const WeightedSum& sum, std::span<const TapRow> taps, bool maximum, bool is_signed,
             uint8_t* out, size_t width) {
  if (maximum)
    is_signed ? MaximumRow<int8_t>(taps, out, width) : MaximumRow<uint8_t>(taps, out, width);
  else
    is_signed ? WeightedRow<true>(sum, taps, out, width)
              : WeightedRow<false>(sum, taps, out, width);
}

// Calls plane(inputs, results) for each channel of each image, for the channels of lanes.
template <class Plane>
void PlanesOfLanes(const Pool2dBm1880& op, const Memory& memory, size_t begin, size_t end,
                   const Plane& plane) {
  for (size_t slot = begin; slot < end; ++slot)
    for (uint32_t n = 0; n < op.out.shape.n; ++n)
      for (auto c = static_cast<uint32_t>(slot); c < op.out.shape.c; c += memory.local.lanes())
        plane(memory.byte(op.in, n, c, 0, 0), memory.byte(op.out, n, c, 0, 0));
}

void FlatMaximaLanes(const Pool2dBm1880& op, FlatPlanes& planes, const Memory& memory, size_t begin,
                     size_t end) {
  thread_local std::vector<PlanePair> pairs;
  pairs.clear();
  PlanesOfLanes(op, memory, begin, end, [](const uint8_t* in, uint8_t* out) {
    pairs.push_back({in, out});
  });
  is_signed(op.in.dtype) ? MaximaOfFlatPlanes<int8_t>(op.window, planes, pairs)
                         : MaximaOfFlatPlanes<uint8_t>(op.window, planes, pairs);
}

void MaximaByTwoLanes(const Pool2dBm1880& op, const Memory& memory, size_t begin, size_t end) {
  thread_local std::vector<uint8_t> line;
  PlanesOfLanes(op, memory, begin, end, [&](const uint8_t* in, uint8_t* out) {
    is_signed(op.in.dtype) ? MaximaByTwo<int8_t>(op, {in, out}, line)
                           : MaximaByTwo<uint8_t>(op, {in, out}, line);
  });
}

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3_DL

bool Permutes() { return true; }

template <bool kSigned>
HWY_INLINE __m512i Largest(__m512i a, __m512i b) {
  return kSigned ? _mm512_max_epi8(a, b) : _mm512_max_epu8(a, b);
}

// Computes the maxima of one channel of an image.
template <bool kSigned>
HWY_INLINE void MaximaOfPlane(const Pool2dBm1880& op, std::span<const VectorBlock> blocks,
                              const uint8_t* in, uint8_t* out) {
  const __m512i least = _mm512_set1_epi8(kSigned ? -128 : 0);
  for (uint32_t y = 0; y < op.out.shape.h; ++y, out += op.out.stride.h) {
    const RowsUnder rows(op.window.h, op.in.shape.h, y);
    for (const VectorBlock& block : blocks) {
      __m512i column = least;
      const uint8_t* from = in + rows.first * op.in.stride.h + block.input;
      for (size_t row = rows.first; row < rows.end; ++row, from += op.in.stride.h)
        column = Largest<kSigned>(column, _mm512_mask_loadu_epi8(least, block.load, from));
      __m512i largest = least;
      for (const VectorBlock::Tap& tap : std::span(block.taps).first(op.window.w.kernel))
        largest = Largest<kSigned>(
            largest, _mm512_mask_permutexvar_epi8(least, tap.take,
                                                  _mm512_load_si512(tap.index.data()), column));
      _mm512_mask_storeu_epi8(out + block.first, ~uint64_t{0} >> (64 - block.results), largest);
    }
  }
}

// Converts at most 32 16-bit sums to results and stores them.
template <bool kSigned>
HWY_INLINE void StoreAverages(const Pool2dBm1880& op, __m512i sums, uint32_t count, uint8_t* out) {
  const hn::ScalableTag<int32_t> d;
  const auto results = [&](__m256i words) {
    const auto products = hn::Mul(hn::Vec<decltype(d)>{_mm512_cvtepi16_epi32(words)},
                                  hn::Set(d, static_cast<int32_t>(op.multiplier)));
    const auto shifted = RoundShift(d, products, static_cast<int>(op.rshift));
    if (kSigned) return _mm512_cvtsepi32_epi8(shifted.raw);
    return _mm512_cvtusepi32_epi8(hn::Max(shifted, hn::Zero(d)).raw);
  };
  const uint32_t there = ~uint32_t{0} >> (32 - count);
  _mm_mask_storeu_epi8(out, static_cast<__mmask16>(there), results(_mm512_castsi512_si256(sums)));
  if (count > 16)
    _mm_mask_storeu_epi8(out + 16, static_cast<__mmask16>(there >> 16),
                         results(_mm512_extracti64x4_epi64(sums, 1)));
}

// 16-bit sums of the columns of a block. `low` has those of the first 32 inputs, `high` the others.
struct ColumnSums {
  __m512i low, high;
};

template <bool kSigned>
HWY_INLINE ColumnSums SumsOfColumns(const Pool2dBm1880& op, const VectorBlock& block,
                                    const RowsUnder& rows, const uint8_t* in) {
  const auto words = [](__m256i bytes) {
    return kSigned ? _mm512_cvtepi8_epi16(bytes) : _mm512_cvtepu8_epi16(bytes);
  };
  ColumnSums sums{_mm512_setzero_si512(), _mm512_setzero_si512()};
  const uint8_t* from = in + rows.first * op.in.stride.h + block.input;
  for (size_t row = rows.first; row < rows.end; ++row, from += op.in.stride.h) {
    const __m512i bytes = _mm512_maskz_loadu_epi8(block.load, from);
    sums.low = _mm512_add_epi16(sums.low, words(_mm512_castsi512_si256(bytes)));
    sums.high = _mm512_add_epi16(sums.high, words(_mm512_extracti64x4_epi64(bytes, 1)));
  }
  return sums;
}

// Computes the averages of one channel of an image.
template <bool kSigned>
HWY_INLINE void AveragesOfPlane(const Pool2dBm1880& op, std::span<const VectorBlock> blocks,
                                const uint8_t* in, uint8_t* out) {
  for (uint32_t y = 0; y < op.out.shape.h; ++y, out += op.out.stride.h) {
    const RowsUnder rows(op.window.h, op.in.shape.h, y);
    for (const VectorBlock& block : blocks) {
      const ColumnSums columns = SumsOfColumns<kSigned>(op, block, rows, in);
      for (uint32_t first = 0; first < block.results; first += 32) {
        __m512i sums = _mm512_setzero_si512();
        for (const VectorBlock::Tap& tap : std::span(block.taps).first(op.window.w.kernel)) {
          const auto* bytes = reinterpret_cast<const __m256i*>(tap.index.data() + first);
          const __m512i index = _mm512_cvtepu8_epi16(_mm256_load_si256(bytes));
          sums = _mm512_add_epi16(
              sums, _mm512_maskz_permutex2var_epi16(static_cast<__mmask32>(tap.take >> first),
                                                    columns.low, index, columns.high));
        }
        StoreAverages<kSigned>(op, sums, std::min(32u, block.results - first),
                               out + block.first + first);
      }
    }
  }
}

void MaximaLanes(const Pool2dBm1880& op, std::span<const VectorBlock> blocks, const Memory& memory,
                 size_t begin, size_t end) {
  PlanesOfLanes(op, memory, begin, end, [&](const uint8_t* in, uint8_t* out) {
    is_signed(op.in.dtype) ? MaximaOfPlane<true>(op, blocks, in, out)
                           : MaximaOfPlane<false>(op, blocks, in, out);
  });
}

void AverageLanes(const Pool2dBm1880& op, std::span<const VectorBlock> blocks, const Memory& memory,
                  size_t begin, size_t end) {
  PlanesOfLanes(op, memory, begin, end, [&](const uint8_t* in, uint8_t* out) {
    is_signed(op.in.dtype) ? AveragesOfPlane<true>(op, blocks, in, out)
                           : AveragesOfPlane<false>(op, blocks, in, out);
  });
}

// Returns the sum of `count` contiguous bytes.
int32_t SumOfBytes(const uint8_t* in, size_t count, bool is_signed) {
  const __m512i flip = _mm512_set1_epi8(is_signed ? -128 : 0);
  Ints sum = ints(0);
  size_t i = 0;
  for (; i < count; i += 64) {
    const uint64_t there = count - i >= 64 ? ~uint64_t{0} : ~uint64_t{0} >> (64 - (count - i));
    const __m512i bytes = _mm512_xor_si512(_mm512_maskz_loadu_epi8(there, in + i), flip);
    sum = UnsignedBySignedDot::step(sum, Ints{bytes}, ints(0x01010101));
  }
  return _mm512_reduce_add_epi32(sum.raw) - (is_signed ? 128 * static_cast<int32_t>(i) : 0);
}

#else

bool Permutes() { return false; }
using Blocks = std::span<const VectorBlock>;
void MaximaLanes(const Pool2dBm1880&, Blocks, const Memory&, size_t, size_t) {}
void AverageLanes(const Pool2dBm1880&, Blocks, const Memory&, size_t, size_t) {}
int32_t SumOfBytes(const uint8_t*, size_t, bool) { return 0; }

#endif

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tputwin::fast {
namespace {

HWY_EXPORT(PoolRow);
HWY_EXPORT(FlatMaximaLanes);
HWY_EXPORT(MaximaByTwoLanes);
HWY_EXPORT(Permutes);
HWY_EXPORT(MaximaLanes);
HWY_EXPORT(AverageLanes);
HWY_EXPORT(SumOfBytes);

constexpr uint64_t kTapsPerTask = 64 << 10;  // 2 to 4 us
constexpr uint32_t kMostSummands = 128;      // their sum fits in 16 bits, signed or not

Declined declines(const Pool2dBm1880& op, const Memory& memory) {
  if (op.rshift > 31) return "a shift of more than 31";
  if (const Declined why = byte_rows_decline(op.window, op.in, op.out)) return why;
  if (!disjoint(op.out, op.in, memory.local)) return "results overlap a source";
  return kRan;
}

// Calls run(begin, end) for the slots of all lanes. A result reads `taps` inputs.
template <class Run>
void for_lanes(const Pool2dBm1880& op, const Memory& memory, uint64_t taps, const Run& run) {
  const Slots slots = local_slots(op.out.shape, memory.local);
  const uint64_t work = op.out.shape.count() * taps / slots.count;
  parallel_for(slots.count, grain_of(work, kTapsPerTask), std::cref(run));
}

Declined flat_planes(const Pool2dBm1880& op, const Memory& memory) {
  if (op.kind != Pool2dBm1880::Kind::maximum) return "no maxima";
  if (const Declined why = declines(op, memory)) return why;
  if (!FlatPlanes::cover(op.window, op.in, op.out))
    return "results that are not laid out like inputs";
  const uint8_t least = is_signed(op.in.dtype) ? 0x80 : 0;
  const auto lanes = [&](size_t begin, size_t end) {
    thread_local FlatPlanes planes;
    planes.set_up(op.window, op.in.shape, op.out.shape, least);
    HWY_DYNAMIC_DISPATCH(FlatMaximaLanes)(op, planes, memory, begin, end);
  };
  for_lanes(op, memory, op.window.h.kernel + op.window.w.kernel, lanes);
  return kRan;
}

Declined vectors(const Pool2dBm1880& op, const Memory& memory) {
  if (!HWY_DYNAMIC_DISPATCH(Permutes)()) return "the processor does not permute bytes";
  if (const Declined why = declines(op, memory)) return why;
  const Axis &h = op.window.h, &w = op.window.w;
  const uint32_t area = h.kernel * w.kernel;
  const bool maximum = op.kind == Pool2dBm1880::Kind::maximum;
  if (h.insert != 0 || w.insert != 0 || h.dilation != 1 || w.dilation != 1 ||
      w.kernel > VectorBlock::kMostTaps || w.stride > VectorBlock::kMostTaps ||
      (!maximum && area > kMostSummands))
    return "a wide window";
  thread_local std::vector<VectorBlock> blocks;
  find_vector_blocks(w, op.in.shape.w, op.out.shape.w, blocks);
  const std::span<const VectorBlock> row = blocks;
  const auto lanes = [&](size_t begin, size_t end) {
    if (maximum)
      HWY_DYNAMIC_DISPATCH(MaximaLanes)(op, row, memory, begin, end);
    else
      HWY_DYNAMIC_DISPATCH(AverageLanes)(op, row, memory, begin, end);
  };
  for_lanes(op, memory, area, lanes);
  return kRan;
}

Declined rows_by_two(const Pool2dBm1880& op, const Memory& memory) {
  if (op.kind != Pool2dBm1880::Kind::maximum) return "no maxima";
  if (const Declined why = declines(op, memory)) return why;
  const Axis &h = op.window.h, &w = op.window.w;
  if (w.stride != 2 || h.insert != 0 || w.insert != 0 || h.dilation != 1 || w.dilation != 1)
    return "windows that do not go on by two";
  const auto lanes = [&](size_t begin, size_t end) {
    HWY_DYNAMIC_DISPATCH(MaximaByTwoLanes)(op, memory, begin, end);
  };
  for_lanes(op, memory, 2 * h.kernel + w.kernel, lanes);
  return kRan;
}

Declined plane_sums(const Pool2dBm1880& op, const Memory& memory) {
  if (op.kind == Pool2dBm1880::Kind::maximum) return "no average";
  if (!HWY_DYNAMIC_DISPATCH(Permutes)()) return "the processor does not add products of bytes";
  if (const Declined why = declines(op, memory)) return why;
  const Shape& in = op.in.shape;
  constexpr size_t kMostBytes = 1 << 14;  // sums times 8 bits stay inside 32 bits
  const size_t plane = size_t{in.h} * in.w;
  const auto whole = [](const Axis& axis, uint32_t extent) {
    return axis.kernel == extent && axis.pad_before == 0 && axis.insert == 0 && axis.dilation == 1;
  };
  if (op.out.shape.h != 1 || op.out.shape.w != 1 || !whole(op.window.h, in.h) ||
      !whole(op.window.w, in.w) || (in.h > 1 && op.in.stride.h != in.w) || plane > kMostBytes)
    return "windows that are no planes";
  const bool is_i8 = is_signed(op.in.dtype);
  const Slots slots = local_slots(op.out.shape, memory.local);
  const auto lanes = [&](size_t begin, size_t end) {
    for (size_t slot = begin; slot < end; ++slot)
      for (uint32_t n = 0; n < in.n; ++n)
        for (auto c = static_cast<uint32_t>(slot); c < in.c; c += slots.lanes) {
          const int32_t sum =
              HWY_DYNAMIC_DISPATCH(SumOfBytes)(memory.byte(op.in, n, c, 0, 0), plane, is_i8);
          const int64_t half = op.rshift == 0 ? 0 : int64_t{1} << (op.rshift - 1);
          const int64_t result = (int64_t{sum} * op.multiplier + half) >> op.rshift;
          *memory.byte(op.out, n, c, 0, 0) = static_cast<uint8_t>(
              std::clamp<int64_t>(result, is_i8 ? -128 : 0, is_i8 ? 127 : 255));
        }
  };
  parallel_for(slots.count, grain_of(in.count() / slots.count, kTapsPerTask), std::cref(lanes));
  return kRan;
}

Declined byte_rows(const Pool2dBm1880& op, const Memory& memory) {
  if (const Declined why = declines(op, memory)) return why;
  const bool maximum = op.kind == Pool2dBm1880::Kind::maximum, is_i8 = is_signed(op.in.dtype);
  // the smallest value of the type changes no maximum, and zero changes no sum
  const uint8_t padding = maximum && is_i8 ? 0x80 : 0;
  for_each_byte_channel(op.window, op.in, op.out.shape, padding, kTapsPerTask, memory,
                        [&](uint32_t n, uint32_t c, const WindowRows& rows) {
                          thread_local WeightedSum sum;
                          sum.weights.assign(size_t{op.window.h.kernel} * op.window.w.kernel,
                                             static_cast<int32_t>(op.multiplier));
                          sum.rshift = static_cast<int>(op.rshift);
                          sum.low = is_i8 ? -128 : 0, sum.high = is_i8 ? 127 : 255;
                          uint8_t* out = memory.byte(op.out, n, c, 0, 0);
                          for (uint32_t y = 0; y < op.out.shape.h; ++y, out += op.out.stride.h)
                            HWY_DYNAMIC_DISPATCH(PoolRow)
                          (sum, rows.taps(y), maximum, is_i8, out, op.out.shape.w);
                        });
  return kRan;
}

}  // namespace

TW_FAST_KERNELS(Pool2dBm1880, {"plane sums", plane_sums}, {"flat planes", flat_planes},
                {"vectors", vectors}, {"rows by two", rows_by_two}, {"byte rows", byte_rows})

}  // namespace tputwin::fast
#endif
