// Layers that combine all elements along an axis: parts, views and operands.
#include "bmnet/targets/bm1684x/axis/axis_kernel.h"

namespace tputwin::net::bm1684x {
namespace {

// Values in fp32 that a kernel keeps for each of its input, unless rows are short or it has
// factors.
constexpr int64_t kCopies = 9;
// Fewer columns than this waste the units of a lane.
constexpr int64_t kFewColumns = 16;

// Every row of the view has the whole axis.
std::vector<AxisPart> row_parts(const View& view, const AxisShape& shape, int64_t copies) {
  const int64_t most = most_axis_rows(shape.extent, copies);
  const Extents& e = view.e;
  const bool is_row = e.h == 1 && e.w == shape.extent && e.n * e.c == shape.outer;
  if (is_row && e.c <= most_channels(most)) return {{e, view.steps}};
  std::vector<AxisPart> parts;
  for (const RowRange& r : row_ranges(shape.outer, most)) {
    const Extents rows{r.n, r.c, 1, shape.extent};
    parts.push_back({rows, packed_steps(rows), r.first * shape.extent});
  }
  return parts;
}

// The axis is h; the values after it are channels and columns.
std::vector<AxisPart> plane_parts(const AxisShape& shape, int64_t copies) {
  const int64_t lanes = chip().lanes;
  const int64_t fitting = chip().lane_bytes / (4 * copies * shape.extent);
  int64_t w = std::max(kFewColumns, ceil_div(shape.inner, lanes));
  w = std::clamp<int64_t>(std::min(w, fitting), 1, shape.inner);
  std::vector<AxisPart> parts;
  for (int64_t at = 0; at < shape.inner;) {
    const int64_t rest = shape.inner - at;
    const int64_t c = std::min(lanes, rest / w), width = c == 0 ? rest : w;
    const Extents e{shape.outer, std::max<int64_t>(c, 1), shape.extent, width};
    parts.push_back({e, ViewSteps{shape.extent * shape.inner, width, shape.inner, 1}, at, true});
    at += e.c * width;
  }
  return parts;
}

// True if a lane holds a sample of the operands and the scratch.
bool fits(const AxisKernel& kernel) {
  const auto tile_bytes = [](const View& view) {
    Extents tile = view.e;
    tile.n = 1;
    return local_memory().tensor_bytes(view, tile);
  };
  Extents out = kernel.output.e;
  out.n = 1;
  int64_t bytes = kernel.scratch_bytes(out) + tile_bytes(kernel.output);
  for (const View& in : kernel.inputs) bytes += tile_bytes(in);
  return bytes <= chip().lane_bytes;
}

}  // namespace

int64_t most_axis_rows(int64_t length, int64_t copies) {
  return chip().lane_bytes / (copies * align_up_to(4 * length, chip().eu_bytes));
}
int64_t most_axis_rows(int64_t length) { return most_axis_rows(length, kCopies); }

AxisShape around(const TensorShape& shape, int axis, bool to_the_end) {
  if (axis < 0) axis += shape.dim_size();
  AxisShape result;
  for (int i = 0; i < shape.dim_size(); ++i) {
    const bool is_axis = i == axis || (to_the_end && i > axis);
    (is_axis ? result.extent : i < axis ? result.outer : result.inner) *= shape.dim(i);
  }
  return result;
}

View AxisPart::view(View whole) const {
  whole.e = e;
  whole.steps = steps;
  whole.offset += first * element_bytes(whole.type);
  return whole;
}

void AxisPart::set_views(const Layer& layer, AxisKernel& kernel) const {
  kernel.keeps_columns = keeps_columns;
  kernel.inputs.insert(kernel.inputs.begin(), view(layer.input(0)));
  kernel.output = view(layer.output());
}

Kernels fitting_kernels(const PartsOf& parts_of, const MakeKernel& make) {
  for (int64_t copies = kCopies;; copies += copies / 2) {
    std::vector<KernelPtr> kernels;
    bool all_fit = true;
    for (const AxisPart& part : parts_of(copies)) {
      auto kernel = make(part);
      all_fit = all_fit && fits(*kernel);
      kernels.push_back(std::move(kernel));
    }
    if (all_fit || copies >= chip().lane_bytes / chip().eu_bytes) return kernels;
  }
}

Kernels axis_kernels(const View& view, const AxisShape& shape, const MakeKernel& make) {
  return fitting_kernels(
      [&](int64_t copies) {
        return shape.inner == 1 ? row_parts(view, shape, copies) : plane_parts(shape, copies);
      },
      make);
}

Kernels axis_kernels(const Layer& layer, int axis, const MakeKernel& make) {
  return axis_kernels(layer.output(), around(layer.op.input_shape(0), axis, false), make);
}

AxisInputs AxisKernel::inputs_of(const Operands& o) const {
  AxisInputs in{in_view(o), {}, {}};
  const auto repeated_input = [&](size_t i) -> std::optional<TensorView> {
    if (i >= inputs.size()) return std::nullopt;
    TensorView view = repeated_over(in_view(o, i), in.x.shape);
    if (inputs[i].steps && inputs[i].steps->c == 0) view.stride.c = 0;
    return view;
  };
  in.factor = repeated_input(1);
  in.offset = repeated_input(2);
  return in;
}

void AxisKernel::emit(StreamProgram& program, const Operands& o) const {
  Fp32Steps steps(program, o.scratch);
  compute(steps, out_view(o), inputs_of(o));
}

int64_t AxisKernel::scratch_bytes(const Extents& tile) const {
  Operands o;
  for (const View& in : inputs) {
    Local local{0, in.e};
    if (in.e.n != 1) local.e.n = tile.n;
    o.inputs.push_back(local);
  }
  o.output = {0, tile};
  Fp32Steps steps;
  compute(steps, out_view(o), inputs_of(o));
  return steps.used();
}

}  // namespace tputwin::net::bm1684x
