// Views that regroup or repeat the axes of a tensor, and constants as inputs of kernels.
#include "bmnet/targets/bm1684x/views.h"

#include <fmt/format.h>

namespace tputwin::net::bm1684x {

ViewSteps packed_steps(const Extents& e) { return {e.c * e.h * e.w, e.h * e.w, e.w, 1}; }

View regrouped(View view, const Extents& e) {
  if (view.e == e) return view;
  view.e = e;
  view.steps = packed_steps(e);
  return view;
}

ViewSteps repeated_steps(const Extents& e, const Extents& to) {
  const ViewSteps s = packed_steps(e);
  const auto step = [](int64_t extent, int64_t wanted, int64_t own) {
    return extent == wanted ? own : 0;
  };
  return {step(e.n, to.n, s.n), step(e.c, to.c, s.c), step(e.h, to.h, s.h), step(e.w, to.w, s.w)};
}

View repeated(View view, const Extents& to, const ViewSteps& steps) {
  const auto extent = [](int64_t step, int64_t wanted) { return step == 0 ? 1 : wanted; };
  view.steps = steps;
  view.e = {extent(steps.n, to.n), to.c, extent(steps.h, to.h), extent(steps.w, to.w)};
  if (steps.c == 0) view.e.c = std::min<int64_t>(to.c, chip().lanes);
  return view;
}

View add_constant(StreamKernel& kernel, const Layer& layer, std::string_view name,
                  std::span<const float> values, DType type, const Extents& to,
                  const ViewSteps& steps) {
  const View view{
      .tensor = fmt::format("{}/{}", layer.op.name(), name), .type = type, .is_constant = true};
  kernel.constants.push_back({view.tensor, bytes_of(values, type)});
  return repeated(view, to, steps);
}

namespace {

// Returns the largest divisor that is at most `most`.
int64_t divisor_of(int64_t count, int64_t most) {
  for (int64_t d = std::min(count, most); d > 1; --d)
    if (count % d == 0) return d;
  return 1;
}

}  // namespace

bool fits_lane(const StreamKernel& kernel, int64_t copies) {
  Extents tile = kernel.output.e;
  tile.n = tile.h = 1;
  int64_t bytes = copies * local_memory().tensor_bytes(kernel.output, tile);
  for (const View& in : kernel.inputs) bytes += copies * local_memory().tensor_bytes(in, tile);
  return bytes + kernel.scratch_bytes(tile) <= chip().lane_bytes &&
         kernel.output.e.c <= chip().limits.channels && kernel.output.e.w <= chip().limits.extent;
}

void spread_if_large(StreamKernel& kernel) {
  if (fits_lane(kernel, 2)) return;
  const int64_t samples = kernel.output.e.n, most_columns = 1024;
  const int64_t all = kernel.output.e.count() / samples;
  Extents e{samples, divisor_of(all, chip().lanes), 1, 1};
  e.w = divisor_of(all / e.c, most_columns);
  e.h = all / e.c / e.w;
  const auto spread = [&](View& view) {
    view.e = e;
    if (view.steps) view.steps = packed_steps(e);
  };
  std::ranges::for_each(kernel.inputs, spread);
  spread(kernel.output);
}

View narrowed(View view) {
  const int64_t most = chip().limits.window.extent, map = view.e.h * view.e.w;
  if (most == 0 || view.e.w <= most) return view;
  view.e.w = divisor_of(map, most);
  view.e.h = map / view.e.w;
  if (view.steps) view.steps = packed_steps(view.e);
  return view;
}

int64_t most_channels(int64_t rounds) {
  const int64_t limit = chip().limits.channels / chip().lanes;
  return std::clamp<int64_t>(rounds, 1, limit) * chip().lanes;
}

std::vector<RowRange> row_ranges(int64_t rows, int64_t most) {
  const int64_t largest = most_channels(most);
  if (rows <= largest) return {{0, 1, rows}};
  const int64_t samples = ceil_div(rows, largest);
  // A number of rows per sample that leaves few rows over.
  int64_t c = align_up_to(ceil_div(rows, samples), chip().lanes);
  c = std::min(c, largest);
  std::vector<RowRange> ranges{{0, rows / c, c}};
  if (rows % c != 0) ranges.push_back({rows / c * c, 1, rows % c});
  return ranges;
}

TensorView repeated_over(TensorView view, const Shape& shape) {
  const auto repeat = [](uint32_t extent, uint32_t& stride) {
    if (extent == 1) stride = 0;
  };
  repeat(view.shape.n, view.stride.n);
  repeat(view.shape.c, view.stride.c);
  repeat(view.shape.h, view.stride.h);
  repeat(view.shape.w, view.stride.w);
  view.shape = shape;
  return view;
}

TensorView RepeatingKernel::repeated_view(const Operands& o, size_t input) const {
  const bool is_row = inputs[input].e.h == 1;
  TensorView view = is_row ? in_view(o, input) : rows_view(o, input);
  const bool one_channel = inputs[input].steps && inputs[input].steps->c == 0;
  view = repeated_over(view, shape_of(o.output.e));
  if (one_channel) view.stride.c = 0;
  return view;
}

// ---- Which tensors are matrices ----
namespace {

// Layers that compute element by element, or along the last axes.
bool takes_matrices(const TensorOp& op) {
  switch (properties(op.type()).op) {
    case Op::start:
    case Op::end:
    case Op::activation:
    case Op::function:
    case Op::power:
    case Op::clip:
    case Op::cast:
    case Op::arithmetic:
    case Op::softmax:
    case Op::standardize:
    case Op::reduction:
    case Op::matmul:
      return true;
    case Op::eltwise:
      return !is_channel_product(op);
    default:
      return has_trait(op, trait::moves_elements) && !is(op, Op::upsample);
  }
}

bool makes_matrices(const TensorOp& op) {
  return is(op, Op::matmul) || (is(op, Op::softmax) && (op.tg_softmax_param().axis() == 3 ||
                                                        op.tg_softmax_param().axis() == -1));
}

// Layers whose operands and result need the same view.
bool keeps_view(const TensorOp& op) {
  return takes_matrices(op) && !has_trait(op, trait::moves_elements) && !is(op, Op::start) &&
         !is(op, Op::end) && !is(op, Op::reduction);
}

template <class Call>
void each_tensor(const TensorOp& op, const Call& call) {
  for (int i = 0; i < op.bottom_size(); ++i) call(op.bottom(i), op.input_shape(i));
  for (int i = 0; i < op.top_size(); ++i) call(op.top(i), op.output_shape(i));
}

}  // namespace

std::set<std::string> matrix_tensors(const Network& network, std::set<std::string> excluded) {
  std::set<std::string> found;
  for (const TensorOp& op : network.ops)
    each_tensor(op, [&](const std::string& t, const TensorShape& shape) {
      if (!takes_matrices(op) || shape.dim_size() != 4) excluded.insert(t);
    });
  const auto mark = [&](const TensorOp& op) {
    size_t before = found.size();
    each_tensor(op, [&](const std::string& t, const TensorShape&) {
      if (!excluded.contains(t)) found.insert(t);
    });
    return found.size() != before;
  };
  for (const TensorOp& op : network.ops)
    if (makes_matrices(op)) mark(op);
  for (bool more = true; more;) {
    more = false;
    for (const TensorOp& op : network.ops) {
      bool touches = false;
      each_tensor(op,
                  [&](const std::string& t, const TensorShape&) { touches |= found.contains(t); });
      if (touches && keeps_view(op)) more |= mark(op);
    }
  }
  return found;
}

namespace {

// Rows that may be divided into ranges of columns (arithmetic.cc).
bool has_long_row(const TensorOp& op) {
  constexpr int64_t kLongRow = 4096;
  return is(op, Op::arithmetic) && extents(op.output_shape(0)).w > kLongRow;
}

}  // namespace

std::set<std::string> regrouped_tensors(const Network& network) {
  std::set<std::string> all = matrix_tensors(network);
  for (const TensorOp& op : network.ops)
    each_tensor(op, [&](const std::string& t, const TensorShape& shape) {
      if (shape.dim_size() < 4 || runs_on_host(op) || is(op, Op::permute) || has_long_row(op))
        all.insert(t);
    });
  return all;
}

}  // namespace tputwin::net::bm1684x
