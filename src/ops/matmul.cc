#include "ops/matmul.h"

#include "numerics/accumulate.h"
#include "ops/elements.h"
#include "ops/timing.h"

namespace tputwin {
namespace {

float element(const MatrixView& m, const Memory& memory, uint32_t r, uint32_t c) {
  return f32::from_bits(static_cast<uint32_t>(memory.read(m, r, c)));
}

}  // namespace

std::string_view name(const MatmulF32&) { return "matmul_f32"; }

OperandList operands(const MatmulF32& op) {
  OperandList list{
      {"output_addr", &op.out.tensor, op.accumulate ? Access::read_write : Access::write},
      {"left_addr", &op.left.tensor, Access::read},
      {"right_addr", &op.right.tensor, Access::read}};
  if (op.bias) list.push_back({"bias_addr", &op.bias->tensor, Access::read});
  return list;
}

Footprint footprint(const MatmulF32& op, const Chip& chip) {
  Footprint f;
  add_ranges(op.out, chip, f.writes);
  add_ranges(op.left, chip, f.reads);
  add_ranges(op.right, chip, f.reads);
  if (op.bias) add_ranges(*op.bias, chip, f.reads);
  if (op.accumulate) add_ranges(op.out, chip, f.reads);
  sort_and_merge(f.reads);
  sort_and_merge(f.writes);
  return f;
}

Status check(const MatmulF32&, const Chip&) { return {}; }

Cost cost(const MatmulF32& op, const Chip& chip) {
  const uint64_t depth = op.left.cols;
  return compute_cost(lane_passes(op.out.tensor.shape, chip, 4) * depth,
                      uint64_t{op.out.rows} * op.out.cols * depth, operands(op), chip);
}

float result_at(const MatmulF32& op, const Memory& memory, uint32_t i, uint32_t j) {
  AlternatingSum products;
  for (uint32_t k = 0; k < op.left.cols; ++k)
    products.add(element(op.left, memory, i, k), element(op.right, memory, k, j));
  float sum = products.total();
  if (op.bias) sum = f32::add(sum, element(*op.bias, memory, 0, j));
  if (op.accumulate) sum = f32::add(sum, element(op.out, memory, i, j));
  return sum;
}

void execute(const MatmulF32& op, const Memory& memory) {
  for (uint32_t i = 0; i < op.out.rows; ++i)
    for (uint32_t j = 0; j < op.out.cols; ++j)
      memory.write(op.out, i, j, static_cast<int32_t>(f32::bits(result_at(op, memory, i, j))));
}

}  // namespace tputwin
