#include "ops/copy.h"

#include "ops/elements.h"
#include "ops/timing.h"

namespace tputwin {

std::string_view name(const Copy& op) {
  if (op.engine == Engine::compute) return op.src.is_constant ? "fill" : "copy";
  return op.src.is_constant ? "dma_fill" : "dma_copy";
}
std::string_view name(const CopyMatrix&) { return "dma_copy_matrix"; }

OperandList operands(const Copy& op) {
  OperandList list{{"dst_addr", &op.dst, Access::write}};
  if (!op.src.is_constant) list.push_back({"src_addr", &op.src.view, Access::read});
  return list;
}

OperandList operands(const CopyMatrix& op) {
  return {{"dst_addr", &op.dst.tensor, Access::write}, {"src_addr", &op.src.tensor, Access::read}};
}

Footprint footprint(const CopyMatrix& op, const Chip& chip) {
  Footprint f;
  add_ranges(op.dst, chip, f.writes);
  add_ranges(op.src, chip, f.reads);
  sort_and_merge(f.reads);
  sort_and_merge(f.writes);
  return f;
}

Status check(const Copy&, const Chip&) { return {}; }
Status check(const CopyMatrix&, const Chip&) { return {}; }

Cost cost(const Copy& op, const Chip& chip) {
  const uint64_t bytes = element_bytes(op.dst.dtype);
  const TensorView& from = op.src.is_constant ? op.dst : op.src.view;
  if (op.engine == Engine::dma)
    return transfer_cost(op.dst, from, op.dst.shape.count() * bytes, chip);
  return compute_cost(lane_passes(op.dst.shape, chip, 4), op.dst.shape.count(), operands(op), chip);
}

Cost cost(const CopyMatrix& op, const Chip& chip) {
  return transfer_cost(op.dst.tensor, op.src.tensor,
                       uint64_t{op.src.cols} * element_bytes(op.src.tensor.dtype), chip);
}

void execute(const Copy& op, const Memory& memory) {
  for_each_index(op.dst.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    memory.write(op.dst, n, c, h, w, op.src.read(memory, n, c, h, w));
  });
}

void execute(const CopyMatrix& op, const Memory& memory) {
  for (uint32_t r = 0; r < op.dst.rows; ++r)
    for (uint32_t c = 0; c < op.dst.cols; ++c)
      memory.write(op.dst, r, c, memory.read(op.src, r, c));
}

}  // namespace tputwin
