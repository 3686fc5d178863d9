// dma_winograd_kernel: contract, cost and reference kernel.
#include "ops/move/dma_winograd_kernel.h"

#include "base/errors/ops.h"
#include "numerics/small_matrix.h"
#include "ops/contract/attributes.h"
#include "ops/contract/kernel_steps.h"
#include "ops/contract/timing.h"
#include "ops/rules/bm1880.h"

namespace tputwin {
namespace {

constexpr SmallMatrix<4, 3> kKernelTransform{// twice the usual G
                                             {{2, 0, 0}, {1, 1, 1}, {1, -1, 1}, {0, 0, 2}}};

}  // namespace

std::string_view name(const DmaWinogradKernel&) { return "gdma_load_winograd"; }

void attributes(const DmaWinogradKernel& op, AttributeSink& to) { to.number("scale", op.scale); }

OperandList operands(const DmaWinogradKernel& op) {
  return {{"dst", &op.dst, Access::write}, {"src", &op.src, Access::read}};
}

Status check(const DmaWinogradKernel& op, const Chip& chip) {
  const Shape& dst = op.dst.shape;
  TW_RETURN_IF_ERROR(check_bm1880_dma_operand("dst", op.dst, chip));
  TW_RETURN_IF_ERROR(check_bm1880_dma_operand("src", op.src, chip));
  TW_RETURN_IF_ERROR(require(op.dst.space == Space::local, errors::ops_dma_space, "dst", op.dst));
  TW_RETURN_IF_ERROR(require(op.src.space == Space::global, errors::ops_dma_space, "src", op.src));
  TW_RETURN_IF_ERROR(
      require(dst.n == 1 && dst.w == 16, errors::ops_winograd_kernel_shape, "dst", dst));
  TW_RETURN_IF_ERROR(
      check_shape("src", op.src, {1, dst.c, dst.h, 9}, errors::ops_winograd_kernel_shape));
  return require(op.scale < 16, errors::ops_winograd_scale, "scale", op.scale);
}

Cost cost(const DmaWinogradKernel& op, const Chip& chip) {
  return transfer_cost(op.dst, op.src, op.src.shape.count(), chip);
}

void execute(const DmaWinogradKernel& op, const Memory& memory) {
  const TensorView src = as(op.src, DType::i8);
  for (uint32_t oc = 0; oc < op.dst.shape.c; ++oc)
    for (uint32_t ic = 0; ic < op.dst.shape.h; ++ic) {
      SmallMatrix<3, 3> kernel{};
      for (uint32_t i = 0; i < 9; ++i) kernel[i / 3][i % 3] = memory.read(src, 0, oc, ic, i);
      SmallMatrix<4, 4> x = sandwich(kKernelTransform, kernel);
      for (uint32_t i = 0; i < 16; ++i) {
        int64_t scaled = round_shift(x[i / 4][i % 4], 2) * (op.scale + 1);
        memory.write(op.dst, 0, oc, ic, i, saturate(round_shift(scaled, 3), DType::i8));
      }
    }
}

}  // namespace tputwin
