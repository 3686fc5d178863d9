// Layers whose rows do not fit a lane: ranges of columns.
#include "bmnet/targets/bm1684x/windows/long_rows.h"

#include <algorithm>

#include "bmnet/targets/bm1684x/target.h"
#include "bmnet/targets/bm1684x/windows/layer_parts.h"
#include "host/resample.h"

namespace tputwin::net::bm1684x {

// ---- Sums of columns ----
namespace {

using Resample = ::bmnet::TGResampleParameter;

// Maps corners to corners, as lower_interp() does.
void put_corners(int64_t from, int64_t to, int64_t first,
                 google::protobuf::RepeatedField<uint32_t>& source,
                 google::protobuf::RepeatedField<float>& weight) {
  for (int64_t i = 0; i < to; ++i) {
    const host::Between at = host::aligned_corners(i, to, from);
    const bool is_one = at.weight == 0 || at.next == at.first;
    source.Add(static_cast<uint32_t>(first + at.first));
    weight.Add(is_one ? 1.0f : 1 - at.weight);
    source.Add(static_cast<uint32_t>(first + (is_one ? at.first : at.next)));
    weight.Add(is_one ? 0.0f : at.weight);
  }
}

}  // namespace

Resample sums_of(const TensorOp& op) {
  if (is(op, Op::resample)) return op.tg_resample_param();
  const auto& p = op.tg_interp_param();
  const int64_t begin = static_cast<int32_t>(p.pad_beg()), end = static_cast<int32_t>(p.pad_end());
  const Extents from = extents(op.input_shape(0)), to = extents(op.output_shape(0));
  Resample sums;
  sums.set_row_taps(2);
  sums.set_column_taps(2);
  put_corners(from.h + begin + end, to.h, -begin, *sums.mutable_row_source(),
              *sums.mutable_row_weight());
  put_corners(from.w + begin + end, to.w, -begin, *sums.mutable_column_source(),
              *sums.mutable_column_weight());
  return sums;
}

namespace {

// Each range reads the columns of its taps.
PartTensor fit_wide_sums(LayerParts& parts, int64_t count) {
  const Resample sums = sums_of(parts.whole());
  const auto taps = static_cast<int64_t>(sums.column_taps());
  const int64_t outputs = sums.column_source_size() / taps, most = ceil_div(outputs, count);
  std::vector<PartTensor> results;
  for (int64_t first = 0; first < outputs; first += most) {
    const int begin = static_cast<int>(first * taps);
    const int end = static_cast<int>(std::min(first + most, outputs) * taps);
    Span read;
    for (int i = begin; i < end; ++i)
      if (sums.column_weight(i) != 0)
        read = join(read, {sums.column_source(i), int64_t{sums.column_source(i)} + 1});
    if (read.count() == 0) read = {0, 1};
    TensorOp op;
    set_type(op, Op::resample);
    auto& own = *op.mutable_tg_resample_param();
    own = sums;
    own.clear_column_source();
    own.clear_column_weight();
    for (int i = begin; i < end; ++i) {
      const int64_t from = std::clamp<int64_t>(sums.column_source(i), read.begin, read.end - 1);
      own.add_column_source(static_cast<uint32_t>(from - read.begin));
      own.add_column_weight(sums.column_weight(i));
    }
    results.push_back(parts.add(std::move(op), {columns_of_part(parts, parts.input(), read)}));
  }
  return join_columns(parts, results);
}

// ---- Layers that compute each column alone ----

bool computes_columns_alone(const TensorOp& op) {
  if (is(op, Op::norm)) return !op.tg_norm_param().across_spatial();
  return is(op, Op::eltwise) || is(op, Op::scale) || is(op, Op::prelu) || is(op, Op::lrn) ||
         is(op, Op::activation) || is(op, Op::function) || is(op, Op::power) || is(op, Op::clip);
}

// Operands of one column are whole.
PartTensor fit_columns_alone(LayerParts& parts, int64_t count) {
  const TensorOp& whole = parts.whole();
  const std::vector<int64_t> shape = dims(whole.output_shape(0));
  const int64_t columns = shape.back(), most = ceil_div(columns, count);
  std::vector<PartTensor> results;
  for (int64_t first = 0; first < columns; first += most) {
    const Span range{first, std::min(first + most, columns)};
    std::vector<PartTensor> inputs;
    for (int i = 0; i < whole.bottom_size(); ++i) {
      const PartTensor x{whole.bottom(i), dims(whole.input_shape(i))};
      inputs.push_back(x.dims.back() == columns ? columns_of_part(parts, x, range) : x);
    }
    TensorOp op = whole;
    op.clear_calib_id();
    for (auto* list : {op.mutable_bottom(), op.mutable_top()}) list->Clear();
    op.clear_input_shape();
    op.clear_output_shape();
    results.push_back(parts.add(std::move(op), inputs, parts.copied_blobs()));
  }
  return join_columns(parts, results);
}

}  // namespace

bool can_divide_columns(const TensorOp& op) {
  if (op.output_shape_size() != 1 || op.output_shape(0).dim_size() < 3) return false;
  if (dims(op.output_shape(0)).back() < 2) return false;
  return is(op, Op::pooling) || is(op, Op::convolution) || is(op, Op::upsample) ||
         is(op, Op::resample) || is(op, Op::interp) || computes_columns_alone(op);
}

PartTensor fit_columns(LayerParts& parts, int64_t count) {
  const TensorOp& op = parts.whole();
  if (is(op, Op::upsample)) return fit_wide_upsample(parts, count);
  if (is(op, Op::resample) || is(op, Op::interp)) return fit_wide_sums(parts, count);
  if (is(op, Op::pooling)) {
    const Window2d w = pooling_window(op);
    const bool is_maximum = op.tg_pooling_param().pool() == ::bmnet::TGPoolingParameter::MAX;
    if (!is_maximum && w.pad_left + w.pad_right != 0) return fit_average(parts);
    return fit_wide_map(parts, count);
  }
  if (!is(op, Op::convolution)) return fit_columns_alone(parts, count);
  if (!is_deconvolution(op)) return fit_wide_map(parts, count);
  const Window2d w = convolution_window(op);
  const bool is_dilated = w.dilation_h > 1 || w.dilation_w > 1;
  return is_dilated ? fit_dilated_deconvolution(parts) : fit_deconvolution(parts);
}

// ---- Which rows are too long ----
namespace {

// Returns the bytes of a lane that one row of a result needs, and those of the weights.
struct RowNeeds {
  int64_t all = 0, weights = 0;
};
RowNeeds needs_of_row(const TiledKernel& k, const LocalMemory& memory) {
  const Extents& e = k.output.e;
  const int64_t middle = e.h / 2;
  const Span rows = k.can_split_rows() ? Span{middle, middle + 1} : Span{0, e.h};
  const int64_t lanes = memory.lanes;
  Extents tile{1, k.can_split_channels() ? std::min(e.c, lanes) : e.c, rows.count(), e.w};
  RowNeeds needs;
  for (const Weight& w : k.weights)
    if (!w.resident) needs.weights += memory.weight_bytes(w, {0, std::min(tile.c, w.e.c)});
  needs.all = needs.weights + memory.tensor_bytes(k.output, tile) + k.scratch_bytes(tile);
  for (size_t i = 0; i < k.inputs.size(); ++i) {
    const Extents& in = k.inputs[i].e;
    const int64_t held = std::min(k.input_rows(i, rows).count(), in.h);
    needs.all += memory.tensor_bytes(k.inputs[i], {1, in.c, held, in.w});
  }
  return needs;
}

int64_t most_columns(const TiledKernel& k) {
  int64_t columns = k.output.e.w;
  for (const View& in : k.inputs) columns = std::max(columns, in.e.w);
  return columns;
}

}  // namespace

bool add_long_rows(const std::vector<KernelPtr>& kernels, const std::vector<TensorOp>& ops,
                   ColumnRanges& ranges) {
  constexpr int64_t kShare = 3;  // of a lane for each range: others are loaded and stored
  const LocalMemory& memory = local_memory();
  bool found = false;
  for (const KernelPtr& k : kernels) {
    const RowNeeds needs = needs_of_row(*k, memory);
    const int64_t free = memory.lane_bytes - needs.weights, columns = most_columns(*k);
    const int64_t limit = chip().limits.extent;
    if (free <= 0 || !can_divide_columns(ops[k->op])) continue;
    int64_t count = ceil_div(columns, limit);
    if (needs.all > memory.lane_bytes)
      count = std::max(count, ceil_div(kShare * (needs.all - needs.weights), free));
    if (count > 1) found |= ranges.emplace(k->layer, count).second;
  }
  return found;
}

}  // namespace tputwin::net::bm1684x
