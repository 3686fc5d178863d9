// convert: contract, cost and reference kernel.
#include "ops/elementwise/convert.h"

#include <cmath>

#include "base/errors/okkernel.h"
#include "base/errors/tpukernel.h"
#include "numerics/convert.h"
#include "ops/contract/attributes.h"
#include "ops/contract/kernel_steps.h"
#include "ops/contract/timing.h"
#include "ops/rules/bm1684.h"
#include "ops/rules/bm1684x.h"

namespace tputwin {
namespace {

Status check_types(const Convert& op) {
  const DType from = op.in.dtype, to = op.out.dtype;
  if (op.kind == Convert::Kind::whole)
    return require(is_float(from) && from == to, errors::tpu_dtype_pair, "dtype", op.in);
  const bool offered = !(is_half(from) && is_half(to)) || from == to;
  return require(offered, errors::tpu_dtype_pair, "src_dtype", op.in);
}

// The BM1684's GDMA converts between fp32 and bytes.
Status check_bm1684(const Convert& op) {
  const DType from = op.in.dtype, to = op.out.dtype;
  const bool offered =
      is_float(from) != is_float(to) && element_bytes(from) + element_bytes(to) == 5;
  TW_RETURN_IF_ERROR(require(op.engine == Engine::dma && op.kind == Convert::Kind::cast &&
                                 offered && op.rounding == Rounding::half_even,
                             errors::okk_element, "dst_addr", op.out));
  for (const Operand& operand : operands(op))
    TW_RETURN_IF_ERROR(require(operand.view->pack == 1 && is_run(*operand.view),
                               errors::okk_element, operand.name, *operand.view));
  return check_bm1684_shape("src_addr", op.in, op.out.shape);
}

}  // namespace

std::string_view name(const Convert& op) {
  if (op.engine == Engine::dma) return "dma_cast";
  return op.kind == Convert::Kind::cast ? "cast" : "round_to_whole";
}

void attributes(const Convert& op, AttributeSink& to) {
  to.word("rounding", to_string(op.rounding));
}

OperandList operands(const Convert& op) {
  return {{"dst_addr", &op.out, Access::write}, {"src_addr", &op.in, Access::read}};
}

Status check(const Convert& op, const Chip& chip) {
  if (chip.family == ChipFamily::bm1684) return check_bm1684(op);
  TW_RETURN_IF_ERROR(check_bm1684x_elementwise(operands(op), chip));
  TW_RETURN_IF_ERROR(check_types(op));
  return require(op.rounding <= Rounding::up, errors::tpu_rounding, "mode",
                 static_cast<uint32_t>(op.rounding));
}

Cost cost(const Convert& op, const Chip& chip) {
  if (op.engine == Engine::dma)
    return transfer_cost(op.out, op.in, op.out.shape.count() * element_bytes(op.out.dtype), chip);
  const uint32_t bytes = std::max(element_bytes(op.in.dtype), element_bytes(op.out.dtype));
  return compute_cost(lane_passes(op.out.shape, chip, bytes), op.out.shape.count(), operands(op),
                      chip);
}

int32_t convert_element(const Convert& op, int32_t bits) {
  if (op.engine == Engine::dma && !is_float(op.out.dtype) &&
      std::isnan(float_value(static_cast<uint32_t>(bits), op.in.dtype)))
    return saturate(INT32_MAX, op.out.dtype);
  return op.kind == Convert::Kind::cast ? convert(bits, op.in.dtype, op.out.dtype, op.rounding)
                                        : round_to_whole(bits, op.in.dtype, op.rounding);
}

void execute(const Convert& op, const Memory& memory) {
  for_each_index(op.out.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    memory.write(op.out, n, c, h, w, convert_element(op, memory.read(op.in, n, c, h, w)));
  });
}

}  // namespace tputwin
