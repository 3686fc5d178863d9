// dma_tensor: contract, cost and reference kernel.
#include "ops/move/dma_tensor.h"

#include "base/errors/ops.h"
#include "memory/layout.h"
#include "ops/contract/attributes.h"
#include "ops/contract/kernel_steps.h"
#include "ops/contract/timing.h"
#include "ops/rules/bm1880.h"

namespace tputwin {
namespace {

Status check_default_strides(std::string_view name, const TensorView& view, const Chip& chip) {
  const Stride packed = view.space == Space::global
                            ? global_stride(view.shape)
                            : local_stride(chip, view.shape, /*aligned=*/true);
  return require(view.stride == packed, errors::ops_dma_default_strides, name, view);
}

// Returns the element at a position in index order, w fastest.
uint8_t* nth(const TensorView& view, const Memory& memory, uint64_t position) {
  const Shape& s = view.shape;
  uint64_t w = position % s.w, row = position / s.w;
  uint64_t h = row % s.h, plane = row / s.h;
  return memory.byte(view, plane / s.c, plane % s.c, h, w);
}

}  // namespace

std::string_view name(const DmaTensor& op) {
  bool to_local = op.dst.space == Space::local;
  if (op.src.space == Space::global) return to_local ? "gdma_load" : "gdma_copy_gmem";
  return to_local ? "gdma_copy_lmem" : "gdma_store";
}

void attributes(const DmaTensor& op, AttributeSink& to) { to.flag("transpose", op.transpose_nc); }

OperandList operands(const DmaTensor& op) {
  return {{"dst", &op.dst, Access::write}, {"src", &op.src, Access::read}};
}

Status check(const DmaTensor& op, const Chip& chip) {
  const Shape &dst = op.dst.shape, &src = op.src.shape;
  TW_RETURN_IF_ERROR(check_bm1880_dma_operand("dst", op.dst, chip));
  TW_RETURN_IF_ERROR(check_bm1880_dma_operand("src", op.src, chip));
  TW_RETURN_IF_ERROR(require(dst.count() == src.count(), errors::ops_dma_count, "dst", dst));
  if (op.transpose_nc)
    TW_RETURN_IF_ERROR(
        require(dst == Shape{src.c, src.n, src.h, src.w}, errors::ops_dma_transpose, "dst", dst));
  if (op.explicit_strides) return {};
  TW_RETURN_IF_ERROR(check_default_strides("dst", op.dst, chip));
  return check_default_strides("src", op.src, chip);
}

Cost cost(const DmaTensor& op, const Chip& chip) {
  const Shape& s = op.src.shape;
  const uint64_t plane = uint64_t{s.h} * s.w;
  return transfer_cost(op.dst, op.src, op.transpose_nc ? plane : s.count(), chip);
}

void execute(const DmaTensor& op, const Memory& memory) {
  if (op.transpose_nc)
    for_each_index(op.dst.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
      *memory.byte(op.dst, n, c, h, w) = *memory.byte(op.src, c, n, h, w);
    });
  else if (op.dst.shape == op.src.shape)
    for_each_index(op.dst.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
      *memory.byte(op.dst, n, c, h, w) = *memory.byte(op.src, n, c, h, w);
    });
  else
    for (uint64_t i = 0; i < op.dst.shape.count(); ++i)
      *nth(op.dst, memory, i) = *nth(op.src, memory, i);
}

}  // namespace tputwin
