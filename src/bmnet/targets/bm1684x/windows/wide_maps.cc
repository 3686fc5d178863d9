// Windows on maps with more columns than windows of the chip may have, or than a lane: ranges of
// columns.
#include <algorithm>
#include <limits>

#include "bmnet/targets/bm1684x/target.h"
#include "bmnet/targets/bm1684x/windows/layer_parts.h"

namespace tputwin::net::bm1684x {

PartTensor columns_of_part(LayerParts& parts, const PartTensor& x, Span columns) {
  std::vector<int64_t> to = x.dims, offset(4, 0);
  to.back() = columns.count();
  offset[to.size() - 1] = columns.begin;
  return parts.crop(x, offset, to);
}

PartTensor join_columns(LayerParts& parts, const std::vector<PartTensor>& ranges) {
  if (ranges.size() == 1) return ranges[0];
  return parts.concat(ranges, static_cast<int>(ranges[0].dims.size()) - 1);
}

namespace {

// Returns the columns that windows of the chip may have.
int64_t most_columns(int64_t otherwise) {
  const int64_t limit = chip().limits.window.extent;
  return limit == 0 ? otherwise : limit;
}

struct Columns {
  int64_t kernel = 1, stride = 1, dilation = 1, before = 0;
  int64_t reach() const { return (kernel - 1) * dilation + 1; }
};

// The columns of the input that a range of the result reads, and the pads around them.
struct ColumnRange {
  Span out, in;
  int64_t before = 0, after = 0;
};

// Returns at least `count` ranges.
std::vector<ColumnRange> ranges_of(const Columns& c, int64_t extent, int64_t outputs,
                                   int64_t count) {
  const int64_t limit = most_columns(std::numeric_limits<int64_t>::max());
  const int64_t of_command = std::min(limit, (limit - c.reach()) / c.stride + 1);
  const int64_t most = std::min(of_command, ceil_div(outputs, count));
  // Ranges of one size: a short last one might have nothing but pads.
  const int64_t size = ceil_div(outputs, ceil_div(outputs, most));
  std::vector<ColumnRange> ranges;
  for (int64_t first = 0; first < outputs; first += size) {
    const Span out{first, std::min(first + size, outputs)};
    const int64_t begin = out.begin * c.stride - c.before;
    const int64_t end = (out.end - 1) * c.stride - c.before + c.reach();
    const Span in{std::clamp<int64_t>(begin, 0, extent), std::clamp<int64_t>(end, 0, extent)};
    ranges.push_back({out, in, in.begin - begin, end - in.end});
  }
  return ranges;
}

void set_columns(google::protobuf::RepeatedField<uint32_t>* pads, const Window2d& w,
                 const ColumnRange& range) {
  pads->Clear();
  pads->Add(static_cast<uint32_t>(w.pad_top));
  pads->Add(static_cast<uint32_t>(w.pad_bottom));
  pads->Add(static_cast<uint32_t>(range.before));
  pads->Add(static_cast<uint32_t>(range.after));
}

// Adds the window of one range.
PartTensor add_window(LayerParts& parts, const PartTensor& x, const Window2d& w,
                      const ColumnRange& range) {
  const TensorOp& whole = parts.whole();
  TensorOp op;
  op.set_type(whole.type());
  if (is(whole, Op::pooling)) {
    *op.mutable_tg_pooling_param() = whole.tg_pooling_param();
    op.mutable_tg_pooling_param()->set_ceil_mode(false);
    set_columns(op.mutable_tg_pooling_param()->mutable_pad(), w, range);
    return parts.add(std::move(op), {x});
  }
  *op.mutable_tg_convolution_param() = whole.tg_convolution_param();
  set_columns(op.mutable_tg_convolution_param()->mutable_pad(), w, range);
  *op.add_output_shape() = make_shape({1, dims(whole.output_shape(0))[1], 1, 1});
  return parts.add(std::move(op), {x}, parts.blobs());
}

}  // namespace

bool is_too_wide(const Window2d& w, const Extents& in, const Extents& out) {
  const int64_t most = chip().limits.window.extent;
  const int64_t padded = (in.w - 1) * (w.ins_w + 1) + 1 + w.pad_left + std::max(w.pad_right, 0);
  return most != 0 && std::max(padded, out.w) > most;
}

PartTensor fit_wide_map(LayerParts& parts, int64_t count) {
  const TensorOp& whole = parts.whole();
  const Window2d w = is(whole, Op::pooling) ? pooling_window(whole) : convolution_window(whole);
  const Extents in = extents(whole.input_shape(0)), out = extents(whole.output_shape(0));
  const Columns columns{w.kernel_w, w.stride_w, w.dilation_w, w.pad_left};
  std::vector<PartTensor> results;
  for (const ColumnRange& range : ranges_of(columns, in.w, out.w, count)) {
    const PartTensor x = columns_of_part(parts, parts.input(), range.in);
    results.push_back(add_window(parts, x, w, range));
  }
  return join_columns(parts, results);
}

PartTensor fit_wide_upsample(LayerParts& parts, int64_t count) {
  const auto& sizes = parts.whole().tg_upsample_param().size();
  const int64_t factor = sizes[sizes.size() - 1];
  const PartTensor x = parts.input();
  const int64_t of_command = std::max<int64_t>(most_columns(x.dims[3] * factor) / factor - 1, 1);
  const int64_t most = std::min(of_command, ceil_div(x.dims[3], count));
  std::vector<PartTensor> results;
  for (int64_t first = 0; first < x.dims[3]; first += most) {
    TensorOp op;
    set_type(op, Op::upsample);
    *op.mutable_tg_upsample_param() = parts.whole().tg_upsample_param();
    const PartTensor part = columns_of_part(parts, x, {first, std::min(first + most, x.dims[3])});
    results.push_back(parts.add(std::move(op), {part}));
  }
  return join_columns(parts, results);
}

}  // namespace tputwin::net::bm1684x
