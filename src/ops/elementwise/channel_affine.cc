// channel_affine: contract, cost and reference kernel.
#include "ops/elementwise/channel_affine.h"

#include "numerics/float32.h"
#include "ops/contract/attributes.h"
#include "ops/contract/kernel_steps.h"
#include "ops/contract/source_operands.h"
#include "ops/contract/timing.h"
#include "ops/rules/bm1684.h"

namespace tputwin {

float affine(const ChannelAffine& op, float in, float scale, float bias, float old) {
  if (!op.scale) return f32::add(in, bias);
  const float product = f32::mul(in, scale);
  if (!op.bias && op.accumulate) return f32::add(old, product);
  if (!op.bias) return op.adds_zero ? f32::add(product, 0.0f) : product;
  const float sum = f32::add(product, bias);
  return op.accumulate ? f32::add(sum, old) : sum;
}

std::string_view name(const ChannelAffine& op) {
  return !op.scale ? "bias" : op.bias ? "scale_bias" : "scale";
}

void attributes(const ChannelAffine& op, AttributeSink& to) {
  if (op.scale) to.constant("scale", *op.scale);
  if (op.bias) to.constant("bias", *op.bias);
  to.flag("accumulate", op.accumulate);
  to.flag("adds_zero", op.adds_zero);
}

OperandList operands(const ChannelAffine& op) {
  OperandList list{{"dst_addr", &op.out, op.accumulate ? Access::read_write : Access::write},
                   {"src_addr", &op.in, Access::read}};
  if (op.scale) add_source(list, "scale_addr", *op.scale);
  if (op.bias) add_source(list, "bias_addr", *op.bias);
  return list;
}

Status check(const ChannelAffine& op, const Chip& chip) {
  const OperandList list = operands(op);
  for (const Operand& operand : list) {
    const bool whole = operand.view == &op.out || operand.view == &op.in;
    const Shape shape = whole ? op.out.shape : Shape{1, op.out.shape.c, 1, 1};
    TW_RETURN_IF_ERROR(check_bm1684_operand(operand.name, *operand.view, chip));
    TW_RETURN_IF_ERROR(check_bm1684_element(operand.name, *operand.view, 4));
    TW_RETURN_IF_ERROR(check_bm1684_shape(operand.name, *operand.view, shape));
  }
  return advise_bm1684_same_npu(list, chip);
}

Cost cost(const ChannelAffine& op, const Chip& chip) {
  const uint64_t steps = op.scale ? 2 : 1;
  return compute_cost(lane_passes(op.out.shape, chip, 4) * steps, op.out.shape.count() * steps,
                      operands(op), chip);
}

void execute(const ChannelAffine& op, const Memory& memory) {
  for_each_index(op.out.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    const float in = memory.read_f32(op.in, n, c, h, w);
    const float scale = op.scale ? op.scale->read_f32(memory, 0, c, 0, 0) : 0.0f;
    const float bias = op.bias ? op.bias->read_f32(memory, 0, c, 0, 0) : 0.0f;
    const float old = op.accumulate ? memory.read_f32(op.out, n, c, h, w) : 0.0f;
    memory.write_f32(op.out, n, c, h, w, affine(op, in, scale, bias, old));
  });
}

}  // namespace tputwin
