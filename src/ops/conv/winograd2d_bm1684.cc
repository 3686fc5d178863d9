// winograd2d_bm1684: contract, cost and reference kernel.
#include "ops/conv/winograd2d_bm1684.h"

#include <array>

#include "base/bits.h"
#include "base/errors/okkernel.h"
#include "ops/contract/attributes.h"
#include "ops/contract/filter_operands.h"
#include "ops/contract/kernel_steps.h"
#include "ops/contract/timing.h"
#include "ops/rules/bm1684_bytes.h"

namespace tputwin {
namespace {

constexpr uint32_t kTile = 4, kResults = 2, kWindow = 3;
using Tile = std::array<std::array<int64_t, kTile>, kTile>;

constexpr int kB[kTile][kTile] = {{1, 0, -1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, 1, 0, -1}};
constexpr int kA[kResults][kTile] = {{1, 1, 1, 0}, {0, 1, -1, -1}};

// Returns M d M^T; only the first kRows rows and columns are valid.
template <uint32_t kRows>
Tile transformed(const int (&m)[kRows][kTile], const Tile& d) {
  Tile half{}, whole{};
  for (uint32_t i = 0; i < kRows; ++i)
    for (uint32_t j = 0; j < kTile; ++j)
      for (uint32_t k = 0; k < kTile; ++k) half[i][j] += m[i][k] * d[k][j];
  for (uint32_t i = 0; i < kRows; ++i)
    for (uint32_t j = 0; j < kRows; ++j)
      for (uint32_t k = 0; k < kTile; ++k) whole[i][j] += half[i][k] * m[j][k];
  return whole;
}

// Returns the inputs of the tile whose first result is (y, x).
Tile inputs(const Winograd2dBm1684& op, const Memory& memory, uint32_t n, uint32_t ic, uint32_t y,
            uint32_t x) {
  const Shape& s = op.in.shape;
  Tile d{};
  for (uint32_t i = 0; i < kTile; ++i)
    for (uint32_t j = 0; j < kTile; ++j) {
      const int64_t iy = int64_t{y} + i - op.window.h.pad_before;
      const int64_t ix = int64_t{x} + j - op.window.w.pad_before;
      if (0 <= iy && iy < s.h && 0 <= ix && ix < s.w)
        d[i][j] = memory.read(op.in, n, ic, static_cast<uint32_t>(iy), static_cast<uint32_t>(ix));
    }
  return d;
}

}  // namespace

std::string_view name(const Winograd2dBm1684&) { return "winograd_int8"; }

void attributes(const Winograd2dBm1684& op, AttributeSink& to) {
  to.window(op.window);
  to.number("rshift", op.rshift);
}

OperandList operands(const Winograd2dBm1684& op) { return filter_operands(op, kFilterAddresses); }

Status check(const Winograd2dBm1684& op, const Chip& chip) {
  const auto plain = [](const Axis& a) {
    return a.kernel == 3 && a.stride == 1 && a.dilation == 1 && a.insert == 0;
  };
  TW_RETURN_IF_ERROR(check_bm1684_byte_sides(op.out, op.in, chip));
  TW_RETURN_IF_ERROR(require(plain(op.window.h), errors::okk_extents, "kernel_h", op.window.h));
  TW_RETURN_IF_ERROR(require(plain(op.window.w), errors::okk_extents, "kernel_w", op.window.w));
  TW_RETURN_IF_ERROR(check_bm1684_window(op.window, op.in, op.out, op.out.shape.c, chip));
  TW_RETURN_IF_ERROR(check_bm1684_bytes("weight_addr", op.weight, chip, /*pack=*/4));
  TW_RETURN_IF_ERROR(
      check_bm1684_shape("weight_addr", op.weight, {op.in.shape.c, op.out.shape.c, kTile, kTile}));
  return check_bm1684_byte_filter_end(op, chip);
}

Cost cost(const Winograd2dBm1684& op, const Chip& chip) {
  const uint64_t channels = op.in.shape.c;
  const uint64_t products = channels * kTile * kTile / (kResults * kResults);
  // the published peak of 35.2 TOPS, counted in products of 3x3 windows: twice that of convolutions
  const uint64_t cycles = ceil_div(channels * kWindow * kWindow, uint64_t{kResults * kResults});
  return compute_cost(lane_passes(op.out.shape, chip) * cycles, op.out.shape.count() * products,
                      operands(op), chip);
}

void execute(const Winograd2dBm1684& op, const Memory& memory) {
  const Shape& s = op.out.shape;
  const Shape tiles{s.n, s.c, (s.h + 1) / kResults, (s.w + 1) / kResults};
  for_each_index(tiles, [&](uint32_t n, uint32_t oc, uint32_t ty, uint32_t tx) {
    const uint32_t y = ty * kResults, x = tx * kResults;
    Tile products{};
    for (uint32_t ic = 0; ic < op.in.shape.c; ++ic) {
      const Tile v = transformed(kB, inputs(op, memory, n, ic, y, x));
      for (uint32_t i = 0; i < kTile; ++i)
        for (uint32_t j = 0; j < kTile; ++j)
          products[i][j] += v[i][j] * memory.read(op.weight, ic, oc, i, j);
    }
    const Tile results = transformed(kA, products);
    const int32_t bias = bias_of(op.bias, memory, oc);
    for (uint32_t i = 0; i < kResults && y + i < s.h; ++i)
      for (uint32_t j = 0; j < kResults && x + j < s.w; ++j)
        memory.write(op.out, n, oc, y + i, x + j,
                     saturate(round_shift(results[i][j] + bias, op.rshift), op.out.dtype));
  });
}

}  // namespace tputwin
