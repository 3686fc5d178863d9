// Layers whose results are weighted sums of rows and columns of their input.
#include "bmnet/onnx/reader/resample.h"

namespace tputwin::net::onnx_reader {

std::string resample(Node& node, const std::string& x, const AxisTaps& rows,
                     const AxisTaps& columns, std::string_view what) {
  TensorOp op = make_op(Op::resample);
  auto& p = *op.mutable_tg_resample_param();
  p.set_row_taps(static_cast<uint32_t>(rows.taps));
  p.set_column_taps(static_cast<uint32_t>(columns.taps));
  for (int64_t s : rows.source) p.add_row_source(static_cast<uint32_t>(s));
  for (int64_t s : columns.source) p.add_column_source(static_cast<uint32_t>(s));
  for (float w : rows.weight) p.add_row_weight(w);
  for (float w : columns.weight) p.add_column_weight(w);
  return node.add(std::move(op), {x}, what);
}

}  // namespace tputwin::net::onnx_reader
