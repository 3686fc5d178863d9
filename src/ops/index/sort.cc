// sort: contract, cost and reference kernel.
#include "ops/index/sort.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/errors/tpukernel.h"
#include "ops/contract/attributes.h"
#include "ops/contract/kernel_steps.h"
#include "ops/contract/timing.h"
#include "ops/rules/bm1684x_dma.h"

namespace tputwin {

std::string_view name(const Sort& op) { return op.out_index ? "sort_with_index" : "sort"; }

void attributes(const Sort& op, AttributeSink& to) { to.flag("descending", op.descending); }

OperandList operands(const Sort& op) {
  OperandList list{{"output_data_addr", &op.out, Access::write},
                   {"input_data_addr", &op.in, Access::read}};
  if (op.out_index) list.push_back({"output_idx_addr", &*op.out_index, Access::write});
  if (op.in_index) list.push_back({"input_idx_addr", &*op.in_index, Access::read});
  return list;
}

namespace {

Status check_row(std::string_view name, const TensorView& view, uint32_t length, const Chip& chip) {
  TW_RETURN_IF_ERROR(check_bm1684x_dma_side(name, view, chip));
  TW_RETURN_IF_ERROR(check_bm1684x_rows(name, view));
  TW_RETURN_IF_ERROR(require(is_system(view.space), errors::tpu_system_address, name, view));
  TW_RETURN_IF_ERROR(require(is_32bit(view.dtype), errors::tpu_element, name, view));
  return require(view.shape == Shape{1, 1, 1, length}, errors::tpu_extents, name, view.shape);
}

}  // namespace

Status check(const Sort& op, const Chip& chip) {
  const uint32_t length = op.in.shape.w, first = op.out.shape.w;
  TW_RETURN_IF_ERROR(check_row("input_data_addr", op.in, length, chip));
  TW_RETURN_IF_ERROR(check_row("output_data_addr", op.out, first, chip));
  TW_RETURN_IF_ERROR(require(1 <= first && first <= length, errors::tpu_sort_k, "K", first));
  if (op.out_index) TW_RETURN_IF_ERROR(check_row("output_idx_addr", *op.out_index, first, chip));
  if (op.in_index) TW_RETURN_IF_ERROR(check_row("input_idx_addr", *op.in_index, length, chip));
  return {};
}

Cost cost(const Sort& op, const Chip& chip) {
  return transfer_cost(op.out, op.in, uint64_t{op.in.shape.w} * 4, chip);
}

namespace {

// Returns a number that sorts as the element does. NaN are beyond the infinity of their sign; both
// zeros are equal.
int64_t rank(int32_t bits, DType dtype) {
  if (!is_float(dtype)) return integer_value(bits, dtype);
  return bits < 0 ? -int64_t{bits & INT32_MAX} : bits;
}

}  // namespace

void execute(const Sort& op, const Memory& memory) {
  const uint32_t length = op.in.shape.w;
  std::vector<int32_t> values(length), indices(length);
  std::vector<uint32_t> order(length);
  std::iota(order.begin(), order.end(), 0u);
  for (uint32_t i = 0; i < length; ++i) {
    values[i] = memory.read(op.in, 0, 0, 0, i);
    indices[i] = op.in_index ? memory.read(*op.in_index, 0, 0, 0, i) : static_cast<int32_t>(i);
  }
  std::ranges::stable_sort(order, [&](uint32_t a, uint32_t b) {
    const int64_t x = rank(values[a], op.in.dtype), y = rank(values[b], op.in.dtype);
    if (x != y) return op.descending ? x > y : x < y;
    return indices[a] < indices[b];
  });
  for (uint32_t i = 0; i < op.out.shape.w; ++i) {
    memory.write(op.out, 0, 0, 0, i, values[order[i]]);
    if (op.out_index) memory.write(*op.out_index, 0, 0, 0, i, indices[order[i]]);
  }
}

}  // namespace tputwin
