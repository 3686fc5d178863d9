// Pass rescale: rescales inputs of concatenations along axes other than the channels, by tables
// before them. A kernel can write its results one after the other only within a sample.
#include <algorithm>

#include "bmnet/pipeline/compilation.h"
#include "bmnet/pipeline/passes.h"
#include "numerics/integer.h"

namespace tputwin::net::pass {
namespace {

bool is_along_channels(const TensorOp& op) {
  const int axis = op.tg_concat_param().axis();
  return (axis < 0 ? axis + op.input_shape(0).dim_size() : axis) == 1;
}

// Returns sat8(rhu(x * multiplier, shift)) for every byte x.
std::array<int8_t, 256> rescaling(int multiplier, int shift) {
  std::array<int8_t, 256> table;
  for (int byte = 0; byte < 256; ++byte)
    table[static_cast<size_t>(byte)] = static_cast<int8_t>(saturate(
        round_shift(int64_t{static_cast<int8_t>(byte)} * multiplier, static_cast<uint32_t>(shift)),
        DType::i8));
  return table;
}

// Returns the table layer before input `index`. Its result becomes that input.
TensorOp table_before(TensorOp& concat, int index) {
  TensorOp op;
  op.set_name(concat.name() + "/rescale" + std::to_string(index));
  set_type(op, Op::power);
  op.mutable_tg_power_param();
  op.add_bottom(concat.bottom(index));
  op.add_top(op.name());
  *op.add_input_shape() = concat.input_shape(index);
  *op.add_output_shape() = concat.input_shape(index);
  concat.set_bottom(index, op.name());
  return op;
}

}  // namespace

Status rescale(Compilation& c) {
  std::vector<TensorOp>& ops = c.net.network.ops;
  std::vector<LayerIntegers>& integers = c.net.integers;
  for (size_t i = 0; i < ops.size(); ++i) {
    if (!is(ops[i], Op::concat) || integers[i].multiplier.empty() || is_along_channels(ops[i]))
      continue;
    const int inputs = ops[i].bottom_size();
    for (int b = 0; b < inputs; ++b, ++i) {
      const auto at = static_cast<size_t>(b);
      TensorOp op = table_before(ops[i], b);
      LayerIntegers own;
      own.threshold_x = {integers[i].threshold_x[at]};
      own.threshold_y = {integers[i].threshold_y[0]};
      own.table = rescaling(integers[i].multiplier[at], integers[i].shift[at]);
      integers[i].threshold_x[at] = integers[i].threshold_y[0];
      ops.insert(ops.begin() + static_cast<std::ptrdiff_t>(i), std::move(op));
      integers.insert(integers.begin() + static_cast<std::ptrdiff_t>(i), std::move(own));
    }
    integers[i].multiplier.clear();
    integers[i].shift.clear();
  }
  return {};
}

}  // namespace tputwin::net::pass
