// Reductions over any axes.
#include <fmt/format.h>

#include "bmnet/onnx/reader/node.h"

namespace tputwin::net::onnx_reader {
namespace {

using Reduction = ::bmnet::TGReductionParameter;
using Kind = Reduction::ReductionOp;

constexpr int64_t kLargestMap = 255;

// Returns the axes to reduce: all axes if none are given.
std::vector<bool> reduced_axes(const Node& node, bool axes_are_input) {
  const size_t rank = node.dims().size();
  const auto axes = axes_are_input ? node.list(1, "axes") : std::optional(node.integers("axes"));
  const bool all = !axes || axes->empty();
  const bool none = all && node.integer("noop_with_empty_axes", 0) != 0;
  std::vector<bool> reduced(rank, all && !none);
  if (!all)
    for (int64_t axis : *axes) reduced[node.axis(axis, rank)] = true;
  return reduced;
}

// Reduces rows and columns of a map with a pooling window of the chip.
std::string by_window(Node& node, bool max) {
  const Dims& x = node.dims();
  TensorOp op = make_op(Op::pooling);
  auto& p = *op.mutable_tg_pooling_param();
  p.set_pool(max ? ::bmnet::TGPoolingParameter::MAX : ::bmnet::TGPoolingParameter::AVE);
  for (size_t axis : {size_t{2}, size_t{3}}) {
    p.add_kernel_size(static_cast<uint32_t>(x[axis]));
    p.add_stride(1);
    p.add_pad(0);
    p.add_pad(0);
  }
  p.set_ceil_mode(false);
  return node.add(std::move(op), {node.tensor()}, "");
}

// Axes are an input from `since` on, and an attribute before.
void reduce(Node& node, Kind kind, int64_t since = 18) {
  const Dims& x = node.dims();
  const std::vector<bool> reduced = reduced_axes(node, node.opset >= since);
  const bool keeps = node.integer("keepdims", 1) != 0;
  Dims result;
  std::vector<size_t> order;
  int64_t rows = 1;
  for (bool last : {false, true})
    for (size_t i = 0; i < x.size(); ++i)
      if (reduced[i] == last) order.push_back(i);
  for (size_t i = 0; i < x.size(); ++i) {
    if (!reduced[i]) rows *= x[i];
    if (!reduced[i] || keeps) result.push_back(reduced[i] ? 1 : x[i]);
  }
  const bool nothing = std::ranges::none_of(reduced, [](bool r) { return r; });
  if (nothing && (kind == Reduction::SUM || kind == Reduction::MEAN || kind == Reduction::MAX ||
                  kind == Reduction::MIN || kind == Reduction::PROD))
    return node.set(node.in(0));
  const bool map = x.size() == 4 && !reduced[0] && !reduced[1] && reduced[2] && reduced[3] &&
                   x[2] <= kLargestMap && x[3] <= kLargestMap;
  if (map && (kind == Reduction::MEAN || kind == Reduction::MAX))
    return node.set(node.view(by_window(node, kind == Reduction::MAX), net_dims(result)), result);
  const std::string turned = transposed(node, node.tensor(), x, order, "turned");
  TensorOp op = make_op(Op::reduction);
  op.mutable_tg_reduction_param()->set_operation(kind);
  op.mutable_tg_reduction_param()->set_axis(1);
  const std::string y =
      node.add(std::move(op), {node.view(turned, {rows, elements(x) / rows})}, "");
  node.set(node.view(y, net_dims(result)), result);
}

}  // namespace

void import_reduce_mean(Node& node) { reduce(node, Reduction::MEAN); }
void import_reduce_sum(Node& node) { reduce(node, Reduction::SUM, /*since=*/13); }
void import_reduce_max(Node& node) { reduce(node, Reduction::MAX); }
void import_reduce_min(Node& node) { reduce(node, Reduction::MIN); }
void import_reduce_prod(Node& node) { reduce(node, Reduction::PROD); }
void import_reduce_l1(Node& node) { reduce(node, Reduction::ASUM); }
void import_reduce_l2(Node& node) { reduce(node, Reduction::NORM); }
void import_reduce_sum_square(Node& node) { reduce(node, Reduction::SUMSQ); }
void import_reduce_log_sum(Node& node) { reduce(node, Reduction::LOG_SUM); }
void import_reduce_log_sum_exp(Node& node) { reduce(node, Reduction::LOG_SUM_EXP); }

}  // namespace tputwin::net::onnx_reader
