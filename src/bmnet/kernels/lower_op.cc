// Lowering of layers to kernels, and their weights.
#include "bmnet/kernels/lower_op.h"

#include "base/errors/bmnet.h"
#include "bmnet/kernels/window_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tputwin::net {
namespace {

// Limits of the shapes of commands of the tensor engine.
constexpr int64_t kMaxChannels = 4095, kMaxSamples = 4095, kMaxRow = 1024;

using Lower = Result<std::vector<KernelPtr>> (*)(const Network&, const TensorOp&,
                                                 const LayerIntegers&);
struct Row {
  Op op;
  Lower lower;
};
constexpr Row kRows[] = {
#define TW_OP_TPU(name, traits, shapes, tiles, ...) {Op::name, lower_##tiles},
#include "bmnet/ir/ops.def"
};

Status check_extents(const TiledKernel& kernel, const TensorOp& op) {
  auto check = [&](const View& v) -> Status {
    if (v.is_matrix) return Status();
    if (Status s = check_field(op, "samples", v.e.n, kMaxSamples); !s.ok()) return s;
    if (Status s = check_field(op, "channels", v.e.c, kMaxChannels); !s.ok()) return s;
    return check_field(op, "width", v.e.w, kMaxRow);
  };
  for (const View& v : kernel.inputs)
    if (Status s = check(v); !s.ok()) return s;
  return kernel.can_split_channels() ? Status() : check(kernel.output);
}

}  // namespace

Result<std::vector<KernelPtr>> lower_op(const Network& network, size_t index,
                                        const LayerIntegers& integers) {
  const TensorOp& op = network.ops[index];
  if (runs_on_host(op)) return std::vector<KernelPtr>();
  for (const Row& row : kRows) {
    if (!is(op, row.op)) continue;
    auto kernels = row.lower(network, op, integers);
    if (!kernels.ok()) return kernels;
    for (KernelPtr& kernel : *kernels) {
      kernel->layer = op.name();
      kernel->op = index;
      if (Status s = check_extents(*kernel, op); !s.ok()) return s;
    }
    return kernels;
  }
  return std::vector<KernelPtr>();
}

Result<std::vector<KernelPtr>> lower_none(const Network&, const TensorOp&, const LayerIntegers&) {
  return std::vector<KernelPtr>();
}

View view_of(const std::string& tensor, const TensorShape& shape) {
  return {tensor, extents(shape)};
}

View channel_view(const std::string& tensor, const TensorShape& shape) {
  View view = view_of(tensor, shape);
  if (view.e.w <= kMaxRow) return view;
  const int64_t plane = view.e.h * view.e.w;
  int64_t width = kMaxRow;
  while (plane % width != 0) --width;
  view.e.h = plane / width;
  view.e.w = width;
  return view;
}

View channels_of(View view, Span channels) {
  view.offset = channels.begin * view.e.h * view.e.w;
  view.e.c = channels.count();
  return view;
}

View flat_view(const std::string& tensor, const TensorShape& shape) {
  Extents e = extents(shape);
  if (e.c <= kMaxChannels && e.w <= kMaxRow) return {tensor, e};
  // Takes the largest row width that divides a sample, then the most channels that fit.
  const int64_t sample = e.c * e.h * e.w;
  int64_t width = std::min(kMaxRow, sample);
  while (sample % width != 0) --width;
  int64_t channels = std::min(kMaxChannels, sample / width);
  while ((sample / width) % channels != 0) --channels;
  return {tensor, {e.n, channels, sample / width / channels, width}};
}

std::vector<uint8_t> weight_bytes(std::span<const float> values) {
  std::vector<uint8_t> bytes(values.size());
  for (size_t i = 0; i < values.size(); ++i)
    bytes[i] = static_cast<uint8_t>(static_cast<int>(values[i]));
  return bytes;
}

std::vector<uint8_t> bias_bytes(std::span<const float> values) {
  std::vector<uint8_t> bytes;
  bytes.reserve(2 * values.size());
  for (int shift : {0, 8})
    for (float v : values) bytes.push_back(static_cast<uint8_t>(static_cast<int>(v) >> shift));
  return bytes;
}

Weight bias_weight(std::span<const float> values) {
  return {bias_bytes(values), {2, static_cast<int64_t>(values.size()), 1, 1}};
}

Weight table_weight(const std::array<int8_t, 256>& table) {
  Weight w{{}, {1, kLanes, 16, 16}, Weight::Layout::aligned, false};
  for (uint32_t lane = 0; lane < kLanes; ++lane)
    for (int8_t v : table) w.bytes.push_back(static_cast<uint8_t>(v));
  return w;
}

Status check_integers(const TensorOp& op, const Blob& blob, int limit) {
  auto is_one = [limit](float v) {
    return v == std::trunc(v) && v <= static_cast<float>(limit) &&
           v >= static_cast<float>(-limit - 1);
  };
  // Checks block by block and without a branch, so that the compiler vectorizes the loop.
  constexpr size_t kBlock = 4096;
  for (size_t begin = 0; begin < blob.data.size(); begin += kBlock) {
    const std::span<const float> block =
        std::span(blob.data).subspan(begin, std::min(kBlock, blob.data.size() - begin));
    unsigned bad = 0;
    for (float v : block) bad += is_one(v) ? 0 : 1;
    if (bad == 0) continue;
    const float wrong = *std::find_if_not(block.begin(), block.end(), is_one);
    return Error(errors::net_not_integer)
        .in("layer " + op.name())
        .argument("blob value", fmt::format("{}", wrong));
  }
  return Status();
}

Status check_field(const TensorOp& op, std::string_view field, int64_t value, int64_t limit) {
  if (value <= limit) return Status();
  return Error(errors::net_field)
      .in("layer " + op.name())
      .argument(field, fmt::format("{}", value))
      .detail(fmt::format("the largest is {}; divide the layer in the net", limit));
}

Status fit_window(const TensorOp& op, Window2d& w, const Extents& in, const Extents& out) {
  const auto& most = target().limits.window;
  const int stride = static_cast<int>(most.stride);
  if (out.h == 1) w.stride_h = std::min(w.stride_h, stride);
  if (out.w == 1) w.stride_w = std::min(w.stride_w, stride);
  const AxisTile rows = tile_axis(rows_of(w, in), {0, out.h});
  const AxisTile columns = tile_axis(columns_of(w, in), {0, out.w});
  struct Limit {
    const char* name;
    int64_t value;
    uint32_t limit;
  };
  // Only padding that windows read counts. Output rows may be split into tiles, so end padding of
  // rows counts only for a single output row.
  const int64_t pad = std::max({w.pad_top, w.pad_left, out.h == 1 ? rows.pad_after : 0,
                                columns.pad_before, columns.pad_after});
  for (const Limit& l : {Limit{"pad", pad, most.padding},
                         {"stride", std::max(w.stride_h, w.stride_w), most.stride},
                         {"inserted zeros", std::max(w.ins_h, w.ins_w), most.insert},
                         {"dilation", std::max(w.dilation_h, w.dilation_w), most.dilation}})
    TW_RETURN_IF_ERROR(check_field(op, l.name, l.value, l.limit));
  // Columns are never split. A single output row needs all rows of the input at once.
  const auto unread = [](const AxisTile& tile, int64_t extent) { return extent - tile.input.end; };
  TW_RETURN_IF_ERROR(
      check_field(op, "columns after the last window", unread(columns, in.w), columns.most_unread));
  if (out.h > 1) return {};
  return check_field(op, "rows after the last window", unread(rows, in.h), rows.most_unread);
}

}  // namespace tputwin::net
