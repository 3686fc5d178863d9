// Weighted sums of rows, then of columns: resizing, padding and averages of any kind.
#include "host/resample.h"
#include "bmnet/targets/bm1684x/fp32_steps.h"
#include "bmnet/targets/bm1684x/views.h"

namespace tputwin::net::bm1684x {
namespace {

struct Tap {
  int64_t source = 0;
  float weight = 0;
};

// The taps of each output of one axis that have a weight.
using AxisTaps = std::vector<std::vector<Tap>>;

// Outputs first, first + step, ... whose taps have equal weights, and sources at a constant
// distance.
struct TapRun {
  int64_t first = 0, count = 1, distance = 0;
};

bool continues(const AxisTaps& taps, const TapRun& run, int64_t step) {
  const auto& last = taps[static_cast<size_t>(run.first + (run.count - 1) * step)];
  const auto& next = taps[static_cast<size_t>(run.first + run.count * step)];
  if (last.size() != next.size()) return false;
  for (size_t t = 0; t < last.size(); ++t) {
    const int64_t distance = next[t].source - last[t].source;
    const bool fits =
        t == 0 && run.count == 1
            ? distance >= 0
            : distance == (run.count == 1 ? next[0].source - last[0].source : run.distance);
    if (!fits || next[t].weight != last[t].weight) return false;
  }
  return true;
}

// Divides outputs [begin, end) into runs of outputs at a distance of `step`.
std::vector<TapRun> runs_of(const AxisTaps& taps, Span outputs, int64_t step) {
  std::vector<TapRun> runs;
  for (int64_t phase = outputs.begin; phase < std::min(outputs.begin + step, outputs.end); ++phase)
    for (int64_t i = phase; i < outputs.end;) {
      TapRun run{i};
      while (i + run.count * step < outputs.end && continues(taps, run, step)) {
        const auto& next = taps[static_cast<size_t>(i + run.count * step)];
        if (run.count == 1 && !next.empty())
          run.distance = next[0].source - taps[static_cast<size_t>(i)][0].source;
        ++run.count;
      }
      i += run.count * step;
      runs.push_back(run);
    }
  return runs;
}

// Returns the distance of outputs with the fewest runs.
int64_t best_step(const AxisTaps& taps, Span outputs) {
  const int64_t most = 8;
  int64_t best = 1;
  for (int64_t step = 2; step <= most; ++step)
    if (runs_of(taps, outputs, step).size() < runs_of(taps, outputs, best).size()) best = step;
  return best;
}

bool is_identity(const AxisTaps& taps, int64_t extent) {
  if (static_cast<int64_t>(taps.size()) != extent) return false;
  for (int64_t i = 0; i < extent; ++i) {
    const auto& own = taps[static_cast<size_t>(i)];
    if (own.size() != 1 || own[0].source != i || own[0].weight != 1) return false;
  }
  return true;
}

class Resample final : public StreamKernel {
 public:
  AxisTaps rows, columns;

  Span input_rows(size_t, Span out) const override {
    Span all;
    for (int64_t i = out.begin; i < out.end; ++i)
      for (const Tap& tap : rows[static_cast<size_t>(i)])
        all = join(all, {tap.source, tap.source + 1});
    return all.count() == 0 ? Span{0, 1} : all;
  }
  bool accepts_rows(size_t input, Span out, Span held) const override {
    const Span needed = input_rows(input, out);
    return held.begin <= needed.begin && needed.end <= held.end;
  }

  int64_t scratch_bytes(const Extents& tile) const override {
    Extents in = tile;
    in.w = inputs[0].e.w;
    in.h = 1;
    const auto extent = static_cast<int64_t>(rows.size());
    for (int64_t i = 0; i + tile.h <= extent; ++i)
      in.h = std::max(in.h, input_rows(0, {i, i + tile.h}).count());
    Fp32Steps steps;
    compute(steps, aligned(0, tile, output.type), aligned(0, in, inputs[0].type), {}, {});
    return steps.used();
  }

  void emit(StreamProgram& program, const Operands& o) const override {
    Fp32Steps steps(program, o.scratch);
    compute(steps, out_view(o), in_view(o), o.rows, o.input_rows[0]);
  }

 private:
  void compute(Fp32Steps& steps, const TensorView& out, const TensorView& in, Span out_rows,
               Span held) const {
    const TensorView x = steps.widened(in);
    const bool keeps_rows = is_identity(rows, inputs[0].e.h) && held == out_rows;
    const bool keeps_columns = is_identity(columns, inputs[0].e.w);
    TensorView between = x;
    if (!keeps_rows) {
      Shape shape = x.shape;
      shape.h = out.shape.h;
      between = steps.buffer(shape);
      sum(steps, rows, out_rows, held.begin, true, between, x);
    }
    TensorView result = between;
    if (!keeps_columns) {
      result = steps.buffer(out.shape);
      sum(steps, columns, {0, output.e.w}, 0, false, result, between);
    }
    steps.store(out, result);
  }

  // Returns rows or columns first, first + step, ... of a tile.
  static TensorView every(TensorView v, bool is_row, int64_t first, int64_t count, int64_t step) {
    uint32_t& stride = is_row ? v.stride.h : v.stride.w;
    // The stride of a single row or column is not stored.
    const uint32_t own = is_row ? v.shape.w * element_bytes(v.dtype) : element_bytes(v.dtype);
    v.address += static_cast<uint64_t>(first * own);
    (is_row ? v.shape.h : v.shape.w) = static_cast<uint32_t>(count);
    stride = count == 1 ? 0 : static_cast<uint32_t>(step * own);
    return v;
  }

  static void sum(Fp32Steps& steps, const AxisTaps& taps, Span outputs, int64_t first_input,
                  bool is_row, const TensorView& to, const TensorView& from) {
    const int64_t step = best_step(taps, outputs);
    for (const TapRun& run : runs_of(taps, outputs, step)) {
      const TensorView y = every(to, is_row, run.first - outputs.begin, run.count, step);
      bool is_first = true;
      for (const Tap& tap : taps[static_cast<size_t>(run.first)]) {
        const TensorView x = every(from, is_row, tap.source - first_input, run.count, run.distance);
        steps.arithmetic(is_first ? Fp32Steps::Kind::mul : Fp32Steps::Kind::mac, y, x, tap.weight);
        is_first = false;
      }
      if (!is_first) continue;
      const Source zero = number(0, DType::f32);
      steps.add(Copy{.engine = Engine::compute, .dst = y, .src = zero});
    }
  }
};

template <class Sources, class Weights>
AxisTaps taps_of(const Sources& sources, const Weights& weights, int64_t taps) {
  AxisTaps all(static_cast<size_t>(sources.size() / taps));
  for (int i = 0; i < sources.size(); ++i)
    if (weights[i] != 0) all[static_cast<size_t>(i / taps)].push_back({sources[i], weights[i]});
  return all;
}

// Maps corners to corners. `first` is the first element that is used.
AxisTaps corner_taps(int64_t from, int64_t to, int64_t first) {
  AxisTaps all(static_cast<size_t>(to));
  for (int64_t i = 0; i < to; ++i) {
    const host::Between at = host::aligned_corners(i, to, from);
    std::vector<Tap>& taps = all[static_cast<size_t>(i)];
    const bool is_one = at.weight == 0 || at.next == at.first;
    taps.push_back({first + at.first, is_one ? 1 : 1 - at.weight});
    if (!is_one) taps.push_back({first + at.next, at.weight});
  }
  return all;
}

Kernels resampled(const Layer& layer, AxisTaps rows, AxisTaps columns) {
  auto k = std::make_unique<Resample>();
  k->inputs = {layer.input(0)};
  k->output = layer.output();
  k->rows = std::move(rows);
  k->columns = std::move(columns);
  return one(std::move(k));
}

}  // namespace

Kernels lower_resample(const Layer& layer) {
  const auto& p = layer.op.tg_resample_param();
  return resampled(layer, taps_of(p.row_source(), p.row_weight(), p.row_taps()),
                   taps_of(p.column_source(), p.column_weight(), p.column_taps()));
}

// Negative pads cut the input.
Kernels lower_interp(const Layer& layer) {
  const auto& p = layer.op.tg_interp_param();
  const int64_t begin = static_cast<int32_t>(p.pad_beg()), end = static_cast<int32_t>(p.pad_end());
  const Extents from = extents(layer.op.input_shape(0)), to = extents(layer.op.output_shape(0));
  return resampled(layer, corner_taps(from.h + begin + end, to.h, -begin),
                   corner_taps(from.w + begin + end, to.w, -begin));
}

}  // namespace tputwin::net::bm1684x
