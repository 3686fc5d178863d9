// Concatenation. Inputs whose threshold differs from the result's are rescaled.
#include <fmt/format.h>

#include <algorithm>

#include "bmnet/integers/choice.h"
#include "bmnet/reference/layer.h"

namespace tputwin::net {

Status choose_concat(const IntegerChoice& layer) {
  const auto differs = [&](float x) { return x != layer.y(); };
  const auto count = std::ranges::count_if(layer.thresholds.x, differs);
  auto& p = *layer.entry.mutable_concat_param();
  p.set_need_quantize_num(static_cast<int>(count));
  if (count == 0) return {};
  for (const float x : layer.thresholds.x) {
    if (!(x / layer.y() < 256)) return layer.range(x / layer.y());
    const Multiplier rescale = unsigned_multiplier(x / layer.y());
    p.add_threshold_x_quantized(rescale.multiplier);
    p.add_right_shift_width(rescale.shift);
  }
  return {};
}

void read_concat(EntryReader& reader, LayerIntegers& integers) {
  const auto& p = reader.entry.concat_param();
  if (p.need_quantize_num() == 0) return;
  if (p.threshold_x_quantized_size() < reader.op.bottom_size() ||
      p.right_shift_width_size() < reader.op.bottom_size())
    return reader.fail(errors::net_multiplier, "concat_param",
                       fmt::format("{} multipliers, {} shifts", p.threshold_x_quantized_size(),
                                   p.right_shift_width_size()),
                       fmt::format("the layer has {} inputs", reader.op.bottom_size()));
  for (int i = 0; i < reader.op.bottom_size(); ++i) {
    integers.multiplier.push_back(reader.multiplier("concat_param.threshold_x_quantized",
                                                    p.threshold_x_quantized(i), 0, 255));
    integers.shift.push_back(
        reader.shift("concat_param.right_shift_width", p.right_shift_width(i)));
  }
}

// Part i of the result is x if multiplier is empty, else sat8(rhu(x*multiplier[i], shift[i])).
namespace reference {

Status concat(const Layer& layer) {
  TW_ASSIGN_OR_RETURN(axis, axis_of(layer, layer.op.tg_concat_param().axis()));
  const TensorShape& whole = layer.op.output_shape(0);
  const auto rows = static_cast<size_t>(product(whole, 0, axis));
  const size_t pitch = layer.outputs[0].size() / rows;
  const bool rescaled = !layer.integers.multiplier.empty() && whole.data_type_size() == 1;
  if (rescaled &&
      std::min(layer.integers.multiplier.size(), layer.integers.shift.size()) < layer.inputs.size())
    return fail(layer.op, errors::net_multiplier);
  size_t offset = 0;
  for (size_t i = 0; i < layer.inputs.size(); ++i) {
    const size_t bytes = layer.inputs[i].size() / rows;
    if (offset + bytes > pitch) return fail(layer.op, errors::net_operand_shapes);
    for (size_t r = 0; r < rows; ++r) {
      const std::span<const int8_t> from = layer.values(i).subspan(r * bytes, bytes);
      int8_t* to = layer.out() + r * pitch + offset;
      std::ranges::transform(from, to, [&](int8_t x) {
        if (!rescaled) return x;
        return sat8(rhu(int64_t{x} * layer.integers.multiplier[i], layer.integers.shift[i]));
      });
    }
    offset += bytes;
  }
  return {};
}

}  // namespace reference
}  // namespace tputwin::net
