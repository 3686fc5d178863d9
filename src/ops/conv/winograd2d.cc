// winograd2d: contract, cost and reference kernel.
#include "ops/conv/winograd2d.h"

#include "base/errors/ops.h"
#include "memory/layout.h"
#include "numerics/small_matrix.h"
#include "ops/contract/attributes.h"
#include "ops/contract/filter_operands.h"
#include "ops/contract/kernel_steps.h"
#include "ops/contract/timing.h"
#include "ops/rules/bm1880.h"

namespace tputwin {
namespace {

constexpr SmallMatrix<4, 4> kInputTransform{
    // B^T
    {{1, 0, -1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, 1, 0, -1}}};
constexpr SmallMatrix<2, 4> kOutputTransform{// A^T
                                             {{1, 1, 1, 0}, {0, 1, -1, -1}}};

// Returns the 4x4 input tile of the output tile at (2*ty, 2*tx), with zeros in the padding.
SmallMatrix<4, 4> input_tile(const Winograd2d& op, const Memory& memory, uint32_t n, uint32_t ic,
                             uint32_t ty, uint32_t tx) {
  SmallMatrix<4, 4> tile{};
  for (uint32_t i = 0; i < 4; ++i)
    for (uint32_t j = 0; j < 4; ++j) {
      int64_t y = op.window.h.source(2 * ty, i, op.in.shape.h);
      int64_t x = op.window.w.source(2 * tx, j, op.in.shape.w);
      if (y >= 0 && x >= 0) tile[i][j] = memory.read(op.in, n, ic, y, x);
    }
  return tile;
}

SmallMatrix<2, 2> output_tile(const Winograd2d& op, const Memory& memory, uint32_t n, uint32_t oc,
                              uint32_t ty, uint32_t tx) {
  SmallMatrix<4, 4> sum{};
  for (uint32_t ic = 0; ic < op.in.shape.c; ++ic) {
    SmallMatrix<4, 4> data = sandwich(kInputTransform, input_tile(op, memory, n, ic, ty, tx));
    for (uint32_t i = 0; i < 4; ++i)
      for (uint32_t j = 0; j < 4; ++j)
        sum[i][j] += data[i][j] * memory.read(op.weight, ic, oc, i, j);
  }
  return sandwich(kOutputTransform, sum);
}

}  // namespace

std::string_view name(const Winograd2d&) { return "winograd"; }

void attributes(const Winograd2d& op, AttributeSink& to) {
  to.window(op.window);
  to.flag("relu", op.relu);
  to.number("rshift", op.rshift);
}

OperandList operands(const Winograd2d& op) { return filter_operands(op, kBm1880Filter); }

Status check(const Winograd2d& op, const Chip& chip) {
  const Axis &h = op.window.h, &w = op.window.w;
  const Axis fixed_h{.kernel = 3, .pad_before = h.pad_before, .pad_after = h.pad_after};
  const Axis fixed_w{.kernel = 3, .pad_before = w.pad_before, .pad_after = w.pad_after};
  const Shape& out = op.out.shape;
  TW_RETURN_IF_ERROR(check_bm1880_feature_map("ifmap", op.in, chip));
  TW_RETURN_IF_ERROR(check_bm1880_feature_map("ofmap", op.out, chip));
  TW_RETURN_IF_ERROR(check_bm1880_operand("weight", op.weight, chip));
  TW_RETURN_IF_ERROR(require(h == fixed_h, errors::ops_winograd_window, "window", h));
  TW_RETURN_IF_ERROR(require(w == fixed_w, errors::ops_winograd_window, "window", w));
  TW_RETURN_IF_ERROR(check_bm1880_window(op.window, op.in.shape, chip));
  TW_RETURN_IF_ERROR(
      check_shape("weight", op.weight, {op.in.shape.c, out.c, 4, 4}, errors::ops_weight_shape));
  TW_RETURN_IF_ERROR(
      require(op.weight.dtype == DType::i8, errors::ops_winograd_weight, "weight", op.weight));
  TW_RETURN_IF_ERROR(check_bm1880_layout("weight", op.weight,
                                         local_stride(chip, op.weight.shape, /*aligned=*/false)));
  TW_RETURN_IF_ERROR(check_bm1880_lane_zero("weight", op.weight, chip));
  TW_RETURN_IF_ERROR(check_bm1880_bias(op.bias, out.c, chip));
  TW_RETURN_IF_ERROR(check_bm1880_output(op.out, op.in.shape, out.c, op.window));
  TW_RETURN_IF_ERROR(
      require(out.h % 2 == 0 && out.w % 2 == 0, errors::ops_winograd_even, "ofmap", out));
  TW_RETURN_IF_ERROR(
      require(out.h / 2 * (out.w / 2) < 4095, errors::ops_winograd_tiles, "ofmap", out));
  TW_RETURN_IF_ERROR(check_bm1880_rshift(op.rshift));
  return advise_bm1880_start_lane("weight", op.weight, op.out, chip);
}

// 16 products per input channel and tile of four results take a lane one cycle. The transformations
// are additions and cost nothing more.
Cost cost(const Winograd2d& op, const Chip& chip) {
  const Shape& out = op.out.shape;
  const Shape products{out.n, out.c, out.h / 2 * 4, out.w / 2 * 4};
  return compute_cost(lane_passes(products, chip) * op.in.shape.c, products.count() * op.in.shape.c,
                      operands(op), chip);
}

void execute(const Winograd2d& op, const Memory& memory) {
  const Shape& out = op.out.shape;
  for_each_index({out.n, out.c, out.h / 2, out.w / 2},
                 [&](uint32_t n, uint32_t oc, uint32_t ty, uint32_t tx) {
                   SmallMatrix<2, 2> tile = output_tile(op, memory, n, oc, ty, tx);
                   int32_t bias = bias_of(op.bias, memory, oc);
                   for (uint32_t i = 0; i < 2; ++i)
                     for (uint32_t j = 0; j < 2; ++j)
                       memory.write(op.out, n, oc, 2 * ty + i, 2 * tx + j,
                                    requantize(tile[i][j], bias, op.relu, op.rshift));
                 });
}

}  // namespace tputwin
