// Permutations that move the last axis: transposed in local memory, because transfers would move
// element by element to or from global memory. Others are transfers of runs.
#include "bmnet/targets/bm1684x/views.h"
#include "ops/move/rearrange.h"

namespace tputwin::net::bm1684x {
namespace {

// out(n,c,0,w) = in(n,w,0,c)
class Transpose final : public StreamKernel {
 public:
  bool can_split_rows() const override { return false; }
  bool is_compute_only() const override { return target().transposes(); }

  void emit(StreamProgram& program, const Operands& o) const override {
    const TensorView out = out_view(o), in = in_view(o);
    if (target().transposes()) return transpose(program, Engine::compute, out, in);
    // A transfer has one sample.
    for (uint32_t n = 0; n < out.shape.n; ++n)
      transpose(program, Engine::dma, sample_of(out, n), sample_of(in, n));
  }

 private:
  static void transpose(StreamProgram& program, Engine engine, const TensorView& out,
                        const TensorView& in) {
    program.add(
        Rearrange{.kind = Rearrange::Kind::swap_cw, .engine = engine, .out = out, .in = in});
  }
  static TensorView sample_of(TensorView view, uint32_t n) {
    view.address += uint64_t{n} * view.stride.n;
    view.shape.n = 1;
    return view;
  }
};

// An axis of the permutation, with the distances of its elements.
struct PermutedAxis {
  int64_t extent = 1, from = 0, to = 0;
};

// Returns the axes in the order of the result. Those that stay together are one.
std::vector<PermutedAxis> axes_of_permutation(const TensorOp& op) {
  const std::vector<int64_t> in = dims(op.input_shape(0));
  std::vector<int64_t> steps(in.size(), 1);
  for (size_t i = in.size(); i-- > 1;) steps[i - 1] = steps[i] * in[i];
  std::vector<PermutedAxis> axes;
  int64_t step = count(op.output_shape(0));
  for (size_t i = 0; i < in.size(); ++i) {
    const auto& order = op.tg_permute_param().order();
    const size_t axis = static_cast<int>(i) < order.size() ? order[static_cast<int>(i)] : i;
    step /= in[axis];
    if (in[axis] == 1) continue;
    const bool joins = !axes.empty() && axes.back().from == steps[axis] * in[axis];
    if (joins)
      axes.back() = {axes.back().extent * in[axis], steps[axis], step};
    else
      axes.push_back({in[axis], steps[axis], step});
  }
  return axes;
}

View matrix_view(View whole, const Extents& e, const ViewSteps& steps, int64_t first) {
  whole.e = e;
  whole.steps = steps;
  whole.offset = first * element_bytes(whole.type);
  return whole;
}

// The matrices to transpose: rows are the last axis of the result, columns that of the input.
struct Transposition {
  PermutedAxis rows, columns, samples;
};

int64_t bytes_of_tile(int64_t channels, int64_t columns, DType type) {
  return ceil_div(channels, chip().lanes) *
         align_up_to(columns * element_bytes(type), chip().eu_bytes);
}

// Returns the columns of the input that fit with their rows, twice.
int64_t columns_that_fit_tile(int64_t rows, int64_t columns, DType type) {
  const auto bytes = [&](int64_t n) {
    return 2 * (bytes_of_tile(rows, n, type) + bytes_of_tile(n, rows, type));
  };
  columns = std::min<int64_t>(columns, chip().limits.channels);
  while (columns > 1 && bytes(columns) > chip().lane_bytes) columns = ceil_div(columns, 2);
  return columns;
}

void add_transposes(const Layer& layer, const Transposition& t, int64_t from, int64_t to,
                    std::vector<KernelPtr>& kernels) {
  const int64_t n = t.samples.extent;
  // A row of the result takes a quarter of a lane.
  const int64_t most =
      most_channels(chip().lane_bytes / (4 * chip().lanes * element_bytes(layer.type())));
  for (int64_t r = 0; r < t.rows.extent; r += most) {
    const int64_t rows = std::min(most, t.rows.extent - r);
    const int64_t width = columns_that_fit_tile(rows, t.columns.extent, layer.type());
    for (int64_t c = 0; c < t.columns.extent; c += width) {
      const int64_t columns = std::min(width, t.columns.extent - c);
      auto k = std::make_unique<Transpose>();
      k->inputs = {matrix_view(layer.input(0), {n, rows, 1, columns},
                               {t.samples.from, t.rows.from, 0, 1},
                               from + r * t.rows.from + c * t.columns.from)};
      k->output = matrix_view(layer.output(), {n, columns, 1, rows},
                              {t.samples.to, t.columns.to, 0, 1}, to + r + c * t.columns.to);
      kernels.push_back(std::move(k));
    }
  }
}

// Fewer elements than this are moved one by one.
constexpr int64_t kFewElements = 512;
constexpr int64_t kMostKernels = 64;

}  // namespace

Kernels lower_permute(const Layer& layer) {
  std::vector<KernelPtr> kernels;
  std::vector<PermutedAxis> axes = axes_of_permutation(layer.op);
  if (axes.size() < 2 || axes.back().from == 1 || count(layer.op.output_shape(0)) < kFewElements)
    return kernels;
  Transposition t{.rows = axes.back()};
  axes.pop_back();
  const auto last = std::ranges::find(axes, 1, &PermutedAxis::from);
  t.columns = *last;
  axes.erase(last);
  std::ranges::sort(axes, {}, &PermutedAxis::extent);
  if (!axes.empty()) {
    t.samples = axes.back();
    axes.pop_back();
  }
  const PermutedAxis other = axes.empty() ? PermutedAxis{} : axes.back();
  if (axes.size() > 1 || other.extent > kMostKernels) return kernels;
  for (int64_t i = 0; i < other.extent; ++i)
    add_transposes(layer, t, i * other.from, i * other.to, kernels);
  return kernels;
}

}  // namespace tputwin::net::bm1684x
