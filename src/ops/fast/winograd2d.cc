// winograd2d of the BM1880 and of the BM1684's bytes, as sixteen matrix products, one for each
// element of the transformed tiles. The transformed input needs more than 8 bits, so factors are
// int16, and sums are exact in 32 bits.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/winograd2d.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "base/bits.h"
#include "base/parallel.h"
#include "ops/contract/kernel_steps.h"
#include "ops/conv/winograd2d.h"
#include "ops/conv/winograd2d_bm1684.h"
#include "ops/fast/dispatch/budgets.h"
#include "ops/fast/dispatch/fast_kernel.h"
#include "ops/fast/fast.h"
#include "ops/fast/gemm/epilogue/epilogue_bm1880-inl.h"
#include "ops/fast/gemm/kernels/dot-inl.h"
#include "ops/fast/gemm/packing/images.h"
#include "ops/fast/scratch.h"
#include "ops/fast/views/views.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast {
namespace HWY_NAMESPACE {
namespace {

constexpr size_t kElements = WordDot::kElements;
constexpr size_t kTile = kTileVectors * kElements32;  // Winograd tiles in a register tile
constexpr size_t kChunk = 2 * kTile;                  // tiles of one task
constexpr size_t kPoints = 16;                        // elements of a transformed tile

// The epilogue of a tile's results. In both operations, an unsigned result has a ReLU.
Epilogue epilogue_of(const Winograd2d& op) {
  return {static_cast<int>(op.rshift), op.relu, /*rounding_folded=*/false};
}
Epilogue epilogue_of(const Winograd2dBm1684& op) {
  return {static_cast<int>(op.rshift), !is_signed(op.out.dtype), /*rounding_folded=*/false};
}

// Reads elements at a distance of `step` bytes as int16.
template <class T>
HWY_INLINE void read_int16(const uint8_t* from, size_t step, size_t count, int16_t* to) {
  for (size_t i = 0; i < count; ++i) to[i] = static_cast<T>(from[i * step]);
}
void read_int16(const TensorView& in, const uint8_t* from, size_t count, int16_t* to) {
  // The step is 4 if four images are interleaved byte by byte, else 1.
  const size_t step = in.stride.w;
  if (is_signed(in.dtype))
    step == 1 ? read_int16<int8_t>(from, 1, count, to) : read_int16<int8_t>(from, step, count, to);
  else
    step == 1 ? read_int16<uint8_t>(from, 1, count, to)
              : read_int16<uint8_t>(from, step, count, to);
}

// Writes bytes of even and odd columns, `step` bytes apart.
HWY_INLINE void write_columns(const uint8_t* even, const uint8_t* odd, size_t columns, size_t step,
                              uint8_t* to) {
  for (size_t k = 0; k < columns / 2; ++k) {
    to[2 * k * step] = even[k];
    to[(2 * k + 1) * step] = odd[k];
  }
  if (columns % 2 != 0) to[(columns - 1) * step] = even[columns / 2];
}

// Both rows of the results of tiles: the low and the high bytes of even and of odd columns.
struct Pixels {
  uint8_t bytes[2][2][2][kTile];  // [row][odd][high][tile]
};

template <class Op>
struct WinogradConvolution {
  const Op& op;
  const Memory& memory;
  size_t tiles_w = ceil_div(size_t{op.out.shape.w}, size_t{2});
  size_t tiles_h = ceil_div(size_t{op.out.shape.h}, size_t{2});
  size_t tiles = tiles_w * tiles_h * op.out.shape.n;
  size_t groups = ceil_div(size_t{op.in.shape.c}, kElements);
  size_t blocks = ceil_div(size_t{op.out.shape.c}, kTileRows);
  uint32_t* weights = nullptr;  // [block of output channels][point][group][row]

  void pack_weights(size_t block) const;
  void transform_row(uint32_t channel, size_t row, size_t first, size_t count,
                     int16_t (*to)[kChunk], size_t at) const;
  void transform_input(size_t first, size_t count, uint32_t* data) const;
  void multiply(const uint32_t* data, size_t block, size_t first, size_t count) const;
  void finish(const int32_t (*sums)[kTileRows][kTile], size_t row, uint32_t oc, size_t count,
              Pixels& pixels) const;
  void store(const Pixels& pixels, uint32_t oc, size_t first, size_t count) const;
  void convolve(size_t chunk) const;
};

template <class Op>
void WinogradConvolution<Op>::pack_weights(size_t block) const {
  const TensorView& u = op.weight;
  for (size_t row = 0; row < kTileRows; ++row) {
    const auto oc = static_cast<uint32_t>(block * kTileRows + row);
    for (size_t g = 0; g < groups; ++g) {
      const uint8_t* channel[kElements];  // nullptr: zero weights
      for (size_t e = 0; e < kElements; ++e) {
        const auto c = static_cast<uint32_t>(g * kElements + e);
        const bool exists = oc < op.out.shape.c && c < op.in.shape.c;
        channel[e] = exists ? memory.byte(u, c, oc, 0, 0) : nullptr;
      }
      for (size_t point = 0; point < kPoints; ++point) {
        const size_t at = point / 4 * u.stride.h + point % 4 * u.stride.w;
        auto word = [&](size_t e) -> uint32_t {
          if (channel[e] == nullptr) return 0;
          return static_cast<uint16_t>(static_cast<int8_t>(channel[e][at]));
        };
        weights[((block * kPoints + point) * groups + g) * kTileRows + row] = word(0) | word(1)
                                                                                            << 16;
      }
    }
  }
}

// Computes B^T d B of `count` neighbouring tiles of one row of tiles. d is taken from the padded
// input.
template <class Op>
void WinogradConvolution<Op>::transform_row(uint32_t channel, size_t row, size_t first,
                                            size_t count, int16_t (*to)[kChunk], size_t at) const {
  const TensorView& in = op.in;
  const auto n = static_cast<uint32_t>(row / tiles_h), ty = static_cast<uint32_t>(row % tiles_h);
  const int64_t left = 2 * static_cast<int64_t>(first) - op.window.w.pad_before;
  const size_t width = 2 * count + 2;
  int16_t line[2 * kChunk + 2];
  int16_t d[4][4][kChunk];  // rows of d, transformed along w: d B
  for (uint32_t i = 0; i < 4; ++i) {
    const int64_t y = int64_t{2} * ty + i - op.window.h.pad_before;
    std::fill_n(line, width, int16_t{0});
    if (y >= 0 && y < in.shape.h) {
      const uint8_t* from = memory.byte(in, n, channel, static_cast<uint32_t>(y), 0);
      const int64_t begin = std::max<int64_t>(left, 0);
      const int64_t end = std::min<int64_t>(left + static_cast<int64_t>(width), in.shape.w);
      if (begin < end)
        read_int16(in, from + static_cast<size_t>(begin) * in.stride.w,
                   static_cast<size_t>(end - begin), line + (begin - left));
    }
    for (size_t t = 0; t < count; ++t) {
      const int16_t a = line[2 * t], b = line[2 * t + 1], c = line[2 * t + 2], e = line[2 * t + 3];
      d[i][0][t] = static_cast<int16_t>(a - c);
      d[i][1][t] = static_cast<int16_t>(b + c);
      d[i][2][t] = static_cast<int16_t>(c - b);
      d[i][3][t] = static_cast<int16_t>(b - e);
    }
  }
  for (size_t v = 0; v < 4; ++v) {
    for (size_t t = 0; t < count; ++t)
      to[0 + v][at + t] = static_cast<int16_t>(d[0][v][t] - d[2][v][t]);
    for (size_t t = 0; t < count; ++t)
      to[4 + v][at + t] = static_cast<int16_t>(d[1][v][t] + d[2][v][t]);
    for (size_t t = 0; t < count; ++t)
      to[8 + v][at + t] = static_cast<int16_t>(d[2][v][t] - d[1][v][t]);
    for (size_t t = 0; t < count; ++t)
      to[12 + v][at + t] = static_cast<int16_t>(d[1][v][t] - d[3][v][t]);
  }
}

// Transforms the tiles [first, first + count) of all channels: data[point][group][kChunk].
template <class Op>
void WinogradConvolution<Op>::transform_input(size_t first, size_t count, uint32_t* data) const {
  int16_t transformed[kElements][kPoints][kChunk];
  for (size_t g = 0; g < groups; ++g) {
    for (size_t e = 0; e < kElements; ++e) {
      // A channel past the last has zero weights, so that any data will do.
      const size_t channel = std::min<size_t>(g * kElements + e, op.in.shape.c - 1);
      for (size_t done = 0; done < count;) {
        const size_t tile = first + done, tx = tile % tiles_w;
        const size_t length = std::min(tiles_w - tx, count - done);
        transform_row(static_cast<uint32_t>(channel), tile / tiles_w, tx, length, transformed[e],
                      done);
        done += length;
      }
    }
    for (size_t point = 0; point < kPoints; ++point) {
      uint32_t* to = data + (point * groups + g) * kChunk;
      for (size_t t = 0; t < count; ++t)
        to[t] = static_cast<uint16_t>(transformed[0][point][t]) |
                static_cast<uint32_t>(transformed[1][point][t]) << 16;
    }
  }
}

// Multiplies one block of output channels with up to kTile tiles of a chunk.
template <class Op>
void WinogradConvolution<Op>::multiply(const uint32_t* data, size_t block, size_t first,
                                       size_t count) const {
  static constexpr uint32_t kOneTap[1] = {0};
  const I32 d;
  HWY_ALIGN int32_t sums[kPoints][kTileRows][kTile];
  for (size_t point = 0; point < kPoints; ++point)
    dot_positions<WordDot>({data + point * groups * kChunk, kChunk, kOneTap, 1, groups,
                            weights + (block * kPoints + point) * groups * kTileRows},
                           0, count, [&](size_t row, size_t position, Ints sum) HWY_ATTR {
                             hn::Store(sum, d, &sums[point][row][position]);
                           });

  for (size_t row = 0; row < kTileRows && block * kTileRows + row < op.out.shape.c; ++row) {
    const auto oc = static_cast<uint32_t>(block * kTileRows + row);
    Pixels pixels;
    finish(sums, row, oc, count, pixels);
    store(pixels, oc, first, count);
  }
}

// Computes A^T m A of every tile, and requantizes it.
template <class Op>
void WinogradConvolution<Op>::finish(const int32_t (*sums)[kTileRows][kTile], size_t row,
                                     uint32_t oc, size_t count, Pixels& pixels) const {
  const I32 d;
  const Epilogue epilogue = epilogue_of(op);
  const bool wide = is_16bit(op.out.dtype);
  const Ints bias = ints(bias_of(op.bias, memory, oc));
  for (size_t t = 0; t < count; t += kElements32) {
    Ints half[2][4];  // A^T m
    for (size_t v = 0; v < 4; ++v) {
      auto m = [&](size_t u) HWY_ATTR { return hn::Load(d, &sums[u * 4 + v][row][t]); };
      half[0][v] = hn::Add(hn::Add(m(0), m(1)), m(2));
      half[1][v] = hn::Sub(hn::Sub(m(1), m(2)), m(3));
    }
    const auto put = [&](Ints result, uint8_t(*to)[kTile]) HWY_ATTR {
      const Ints sum = hn::Add(result, bias);
      wide ? epilogue.store16(sum, &to[0][t], &to[1][t]) : epilogue.store8(sum, &to[0][t]);
    };
    for (size_t i = 0; i < 2; ++i) {
      put(hn::Add(hn::Add(half[i][0], half[i][1]), half[i][2]), pixels.bytes[i][0]);
      put(hn::Sub(hn::Sub(half[i][1], half[i][2]), half[i][3]), pixels.bytes[i][1]);
    }
  }
}

// Stores results. Results after the last row or column are not written.
template <class Op>
void WinogradConvolution<Op>::store(const Pixels& pixels, uint32_t oc, size_t first,
                                    size_t count) const {
  const TensorView& out = op.out;
  const size_t bytes = element_bytes(out.dtype), step = out.stride.w;
  for (size_t t = 0; t < count;) {
    const size_t tile = first + t, tx = tile % tiles_w, line = tile / tiles_w;
    const size_t length = std::min(tiles_w - tx, count - t), y = 2 * (line % tiles_h);
    const size_t columns = std::min<size_t>(2 * length, out.shape.w - 2 * tx);
    for (size_t i = 0; i < 2 && y + i < out.shape.h; ++i) {
      uint8_t* to = memory.byte(out, static_cast<uint32_t>(line / tiles_h), oc,
                                static_cast<uint32_t>(y + i), static_cast<uint32_t>(2 * tx));
      for (size_t b = 0; b < bytes; ++b) {
        const uint8_t *even = pixels.bytes[i][0][b] + t, *odd = pixels.bytes[i][1][b] + t;
        step == 1 ? write_columns(even, odd, columns, 1, to)
                  : write_columns(even, odd, columns, step, to + b * out.plane_stride);
      }
    }
    t += length;
  }
}

template <class Op>
void WinogradConvolution<Op>::convolve(size_t chunk) const {
  thread_local Scratch scratch;
  uint32_t* data = scratch.take<uint32_t>(kPoints * groups * kChunk);
  const size_t first = chunk * kChunk, count = std::min(kChunk, tiles - first);
  transform_input(first, count, data);
  for (size_t block = 0; block < blocks; ++block)
    for (size_t t = 0; t < count; t += kTile)
      multiply(data + t, block, first + t, std::min(kTile, count - t));
}

template <class Op>
void convolve_all(const Op& op, const Memory& memory) {
  thread_local Scratch weights;
  WinogradConvolution<Op> w{op, memory};
  w.weights = weights.take<uint32_t>(w.blocks * kPoints * w.groups * kTileRows);
  const size_t chunks = ceil_div(w.tiles, kChunk);
  const bool alone = w.tiles * op.in.shape.c * op.out.shape.c < task_work(100'000);
  parallel_for(w.blocks, alone ? w.blocks : 1, [&w](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) w.pack_weights(i);
  });
  parallel_for(chunks, alone ? chunks : 1, [&w](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) w.convolve(i);
  });
}

void convolve(const Winograd2d& op, const Memory& memory) { convolve_all(op, memory); }
void convolve_bm1684(const Winograd2dBm1684& op, const Memory& memory) { convolve_all(op, memory); }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tputwin::fast
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tputwin::fast {
namespace {

HWY_EXPORT(convolve);
HWY_EXPORT(convolve_bm1684);

// Returns true for an axis with stride 1 and without dilation or inserted zeros. Padding is
// allowed.
bool is_plain(const Axis& a) {
  return a.stride == 1 && a.dilation == 1 && a.insert == 0 && a.insert_last == 0;
}

Declined tiles(const Winograd2d& op, const Memory& memory) {
  if (is_empty(op.in.shape) || op.out.shape.h < 2 || op.out.shape.w < 2 || is_empty(op.out.shape))
    return "no whole tiles";
  if (!has_byte_rows(op.in) || !has_byte_rows(op.out)) return "no rows of bytes in lanes";
  if (op.weight.space != Space::local || op.weight.dtype != DType::i8 ||
      (op.bias && op.bias->space != Space::local))
    return "weights are no signed bytes in lanes";
  if (!is_plain(op.window.h) || !is_plain(op.window.w) || op.rshift > 31)
    return "a window that does not move by one, or a shift beyond 31";
  if (const Declined why = overlap(op.out, {&op.in, &op.weight, tensor_of(op.bias)}, memory.local))
    return why;
  HWY_DYNAMIC_DISPATCH(convolve)(op, memory);
  return kRan;
}

Declined packed_tiles(const Winograd2dBm1684& op, const Memory& memory) {
  // the largest sum of nine of a tile's sixteen products: eight of up to 510, one of up to 1020
  constexpr uint64_t kLargestSum = 8 * 510 + 1020, kLargestWeight = 128, kLargestBias = UINT16_MAX;
  if (op.in.shape.c * kLargestSum * kLargestWeight + kLargestBias > INT32_MAX)
    return "sums that 32 bits do not hold";
  if (!has_cells(op.in, 1) || !has_cells(op.weight, 1) || is_32bit(op.out.dtype) ||
      !has_cells(op.out, element_bytes(op.out.dtype)))
    return "an operand is no cells in lanes";
  if (const Declined why = overlap(op.out, {&op.in, &op.weight, tensor_of(op.bias)}, memory.local))
    return why;
  HWY_DYNAMIC_DISPATCH(convolve_bm1684)(op, memory);
  return kRan;
}

}  // namespace

TW_FAST_KERNELS(Winograd2d, {"tiles", tiles})
TW_FAST_KERNELS(Winograd2dBm1684, {"tiles", packed_tiles})

}  // namespace tputwin::fast
#endif
