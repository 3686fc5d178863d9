// convert: contract, cost and reference body.
#include "ops/elementwise/convert.h"

#include "base/errors/tpukernel.h"
#include "numerics/convert.h"
#include "ops/contract/attributes.h"
#include "ops/contract/body_steps.h"
#include "ops/contract/timing.h"
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

}  // namespace

int32_t element(const Convert& op, int32_t bits) {
  return op.kind == Convert::Kind::cast ? convert(bits, op.in.dtype, op.out.dtype, op.rounding)
                                        : round_to_whole(bits, op.in.dtype, op.rounding);
}

std::string_view name(const Convert& op) {
  return op.kind == Convert::Kind::cast ? "cast" : "round_to_whole";
}

void attributes(const Convert& op, AttributeSink& to) {
  to.word("rounding", to_string(op.rounding));
}

OperandList operands(const Convert& op) {
  return {{"dst_addr", &op.out, Access::write}, {"src_addr", &op.in, Access::read}};
}

Status check(const Convert& op, const Chip& chip) {
  TW_RETURN_IF_ERROR(check_bm1684x_elementwise(operands(op), chip));
  TW_RETURN_IF_ERROR(check_types(op));
  return require(op.rounding <= Rounding::up, errors::tpu_rounding, "mode",
                 static_cast<uint32_t>(op.rounding));
}

Cost cost(const Convert& op, const Chip& chip) {
  const uint32_t bytes = std::max(element_bytes(op.in.dtype), element_bytes(op.out.dtype));
  return compute_cost(lane_passes(op.out.shape, chip, bytes), op.out.shape.count(), operands(op),
                      chip);
}

void execute(const Convert& op, const Memory& memory) {
  for_each_index(op.out.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    memory.write(op.out, n, c, h, w, element(op, memory.read(op.in, n, c, h, w)));
  });
}

}  // namespace tputwin
