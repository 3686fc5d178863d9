// winograd2d as sixteen matrix products, one for each element of the transformed tiles. The
// transformed input needs more than 8 bits: products of words, exact in 32 bits.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/winograd2d.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "base/bits.h"
#include "base/parallel.h"
#include "ops/conv/winograd2d.h"
#include "ops/fast/fast.h"
#include "ops/fast/gemm/dot-inl.h"
#include "ops/fast/gemm/epilogue-inl.h"
#include "ops/fast/scratch.h"
#include "ops/fast/select/body.h"
#include "ops/fast/select/budgets.h"
#include "ops/fast/views/views.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast {
namespace HWY_NAMESPACE {
namespace {

constexpr size_t kElements = WordDot::kElements;
constexpr size_t kTile = kTileVectors * kLanes32;  // Winograd tiles in a register tile
constexpr size_t kChunk = 2 * kTile;               // of one task
constexpr size_t kPoints = 16;                     // elements of a transformed tile

struct WinogradConvolution {
  const Winograd2d& op;
  const Memory& memory;
  size_t tiles_w = op.out.shape.w / 2, tiles_h = op.out.shape.h / 2;
  size_t tiles = tiles_w * tiles_h * op.out.shape.n;
  size_t groups = ceil_div(size_t{op.in.shape.c}, kElements);
  size_t blocks = ceil_div(size_t{op.out.shape.c}, kTileRows);
  uint32_t* weights = nullptr;  // [block of output channels][point][group][row]

  void pack_weights(size_t block) const;
  void transform_row(uint32_t channel, size_t row, size_t first, size_t count,
                     int16_t (*to)[kChunk], size_t at) const;
  void transform_input(size_t first, size_t count, uint32_t* data) const;
  void multiply(const uint32_t* data, size_t block, size_t first, size_t count) const;
  void convolve(size_t chunk) const;
};

void WinogradConvolution::pack_weights(size_t block) const {
  const TensorView& u = op.weight;
  for (size_t row = 0; row < kTileRows; ++row) {
    const auto oc = static_cast<uint32_t>(block * kTileRows + row);
    for (size_t g = 0; g < groups; ++g) {
      const uint8_t* channel[kElements];  // nullptr: none, zero weights
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

// B^T d B of `count` neighbouring tiles of one row of tiles, d taken from the padded input.
void WinogradConvolution::transform_row(uint32_t channel, size_t row, size_t first, size_t count,
                                        int16_t (*to)[kChunk], size_t at) const {
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
      if (is_signed(in.dtype))
        for (int64_t x = begin; x < end; ++x) line[x - left] = static_cast<int8_t>(from[x]);
      else
        for (int64_t x = begin; x < end; ++x) line[x - left] = from[x];
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

// The tiles [first, first + count) of all channels: data[point][group][kChunk].
void WinogradConvolution::transform_input(size_t first, size_t count, uint32_t* data) const {
  int16_t transformed[kElements][kPoints][kChunk];
  for (size_t g = 0; g < groups; ++g) {
    for (size_t e = 0; e < kElements; ++e) {
      // A channel past the last has zero weights: any data will do.
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

// One block of output channels at up to kTile tiles of a chunk.
void WinogradConvolution::multiply(const uint32_t* data, size_t block, size_t first,
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

  const Epilogue epilogue{static_cast<int>(op.rshift), op.relu, false};
  const TensorView& out = op.out;
  for (uint32_t row = 0; row < kTileRows && block * kTileRows + row < out.shape.c; ++row) {
    const auto oc = static_cast<uint32_t>(block * kTileRows + row);
    const Ints bias = hn::Set(d, op.bias ? memory.read(*op.bias, 0, oc, 0, 0) : 0);
    uint8_t pixels[2][2][kTile];  // A^T m A of every tile, requantized
    for (size_t t = 0; t < count; t += kLanes32) {
      Ints half[2][4];  // A^T m
      for (size_t v = 0; v < 4; ++v) {
        auto m = [&](size_t u) HWY_ATTR { return hn::Load(d, &sums[u * 4 + v][row][t]); };
        half[0][v] = hn::Add(hn::Add(m(0), m(1)), m(2));
        half[1][v] = hn::Sub(hn::Sub(m(1), m(2)), m(3));
      }
      for (size_t i = 0; i < 2; ++i) {
        Ints even = hn::Add(hn::Add(half[i][0], half[i][1]), half[i][2]);
        Ints odd = hn::Sub(hn::Sub(half[i][1], half[i][2]), half[i][3]);
        epilogue.store8(hn::Add(even, bias), &pixels[i][0][t]);
        epilogue.store8(hn::Add(odd, bias), &pixels[i][1][t]);
      }
    }
    for (size_t t = 0; t < count;) {
      const size_t tile = first + t, tx = tile % tiles_w, line = tile / tiles_w;
      const size_t length = std::min(tiles_w - tx, count - t);
      for (size_t i = 0; i < 2; ++i) {
        uint8_t* to = memory.byte(out, static_cast<uint32_t>(line / tiles_h), oc,
                                  static_cast<uint32_t>(2 * (line % tiles_h) + i),
                                  static_cast<uint32_t>(2 * tx));
        for (size_t k = 0; k < length; ++k) {
          to[2 * k] = pixels[i][0][t + k];
          to[2 * k + 1] = pixels[i][1][t + k];
        }
      }
      t += length;
    }
  }
}

void WinogradConvolution::convolve(size_t chunk) const {
  thread_local Scratch scratch;
  uint32_t* data = scratch.take<uint32_t>(kPoints * groups * kChunk);
  const size_t first = chunk * kChunk, count = std::min(kChunk, tiles - first);
  transform_input(first, count, data);
  for (size_t block = 0; block < blocks; ++block)
    for (size_t t = 0; t < count; t += kTile)
      multiply(data + t, block, first + t, std::min(kTile, count - t));
}

void convolve(const Winograd2d& op, const Memory& memory) {
  thread_local Scratch weights;
  WinogradConvolution w{op, memory};
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

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tputwin::fast
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tputwin::fast {
namespace {

HWY_EXPORT(convolve);

// A 3x3 kernel that moves one element at a time over the input as it is, padded.
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

constexpr Body<Winograd2d> kBodies[] = {{"tiles", tiles}};

}  // namespace

bool execute(const Winograd2d& op, const Memory& memory) { return run_best(kBodies, op, memory); }

}  // namespace tputwin::fast
#endif
