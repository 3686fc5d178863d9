// Weighted sums of rows, then of columns: resizing, padding and averages of any kind.
#include <deque>

#include "bmnet/targets/bm1684x/fp32_steps.h"
#include "bmnet/targets/bm1684x/views.h"
#include "host/resample.h"

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

// Returns the distances of outputs that have equal weights in the middle of the range: few, since
// large factors have as many phases.
std::vector<int64_t> periods_of(const AxisTaps& taps, Span outputs) {
  constexpr size_t kMostPeriods = 3;
  const int64_t middle = (outputs.begin + outputs.end) / 2;
  std::vector<int64_t> periods;
  for (int64_t step = 1; middle + step < outputs.end && periods.size() < kMostPeriods; ++step)
    if (continues(taps, {middle}, step)) periods.push_back(step);
  return periods;
}

// Returns the runs at the distance of outputs with the fewest runs.
std::vector<TapRun> fewest_runs(const AxisTaps& taps, Span outputs, int64_t& step) {
  step = 1;
  std::vector<TapRun> best = runs_of(taps, outputs, step);
  for (const int64_t period : periods_of(taps, outputs)) {
    std::vector<TapRun> runs = runs_of(taps, outputs, period);
    if (runs.size() >= best.size()) continue;
    best = std::move(runs);
    step = period;
  }
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

// Runs of outputs, and their distance.
struct Runs {
  int64_t step = 1;  // found with the runs
  std::vector<TapRun> runs;

  Runs(const AxisTaps& taps, Span outputs) : runs(fewest_runs(taps, outputs, step)) {}
};

// Returns the sources of each output's taps.
std::vector<Span> spans_of(const AxisTaps& taps) {
  std::vector<Span> spans;
  for (const std::vector<Tap>& of_output : taps) {
    Span all;
    for (const Tap& tap : of_output) all = join(all, {tap.source, tap.source + 1});
    spans.push_back(all);
  }
  return spans;
}

// The greatest values of windows that move on by one element. Values that no later window needs
// are dropped, so that each is looked at twice.
class MovingMaximum {
 public:
  void add(int64_t index, int64_t value) {
    while (!kept_.empty() && kept_.back().second <= value) kept_.pop_back();
    kept_.emplace_back(index, value);
  }
  void drop_before(int64_t index) {
    while (!kept_.empty() && kept_.front().first < index) kept_.pop_front();
  }
  bool is_empty() const { return kept_.empty(); }
  int64_t value() const { return kept_.front().second; }

 private:
  std::deque<std::pair<int64_t, int64_t>> kept_;
};

// Returns the most sources that `count` outputs in a row have between their first and their last.
int64_t widest_window(const std::vector<Span>& spans, int64_t count) {
  MovingMaximum end, begin;  // of the negative numbers
  int64_t most = 0;
  for (int64_t i = 0; i < static_cast<int64_t>(spans.size()); ++i) {
    const Span& span = spans[static_cast<size_t>(i)];
    if (span.count() > 0) {
      end.add(i, span.end);
      begin.add(i, -span.begin);
    }
    end.drop_before(i - count + 1);
    begin.drop_before(i - count + 1);
    if (i + 1 >= count && !end.is_empty()) most = std::max(most, end.value() + begin.value());
  }
  return most;
}

class Resample final : public StreamKernel {
 public:
  Resample(AxisTaps rows, AxisTaps columns)
      : rows_(std::move(rows)),
        columns_(std::move(columns)),
        column_runs_(columns_, {0, static_cast<int64_t>(columns_.size())}),
        row_spans_(spans_of(rows_)),
        most_rows_(rows_.size() + 1) {}

  Span input_rows(size_t, Span out) const override {
    Span all;
    for (int64_t i = out.begin; i < out.end; ++i)
      all = join(all, row_spans_[static_cast<size_t>(i)]);
    return all.count() == 0 ? Span{0, 1} : all;
  }
  bool accepts_rows(size_t input, Span out, Span held) const override {
    const Span needed = input_rows(input, out);
    return held.begin <= needed.begin && needed.end <= held.end;
  }

  int64_t scratch_bytes(const Extents& tile) const override {
    Extents in = tile;
    in.w = inputs[0].e.w;
    in.h = most_input_rows(tile.h);
    Fp32Steps steps;
    buffers(steps, aligned(0, tile, output.type), aligned(0, in, inputs[0].type), false);
    return steps.used();
  }

  void emit(StreamProgram& program, const Operands& o) const override {
    Fp32Steps steps(program, o.scratch);
    const Span held = o.input_rows[0], needed = input_rows(0, o.rows);
    const TensorView out = out_view(o);
    // The scratch has space for the rows that the tile needs. Local memory may hold more.
    TensorView in = in_view(o);
    const int64_t row = o.inputs[0].e.w * element_bytes(in.dtype);
    in.address += static_cast<uint64_t>((needed.begin - held.begin) * row);
    in.shape.h = static_cast<uint32_t>(needed.count());
    if (in.shape.h == 1) in.stride.h = 0;
    const Buffers b = buffers(steps, out, in, needed == o.rows);
    if (b.has_rows)
      sum(steps, rows_, Runs(rows_, o.rows), {o.rows.begin, needed.begin, true}, b.between, b.x);
    if (b.has_columns) sum(steps, columns_, column_runs_, {0, 0, false}, b.result, b.between);
    steps.store(out, b.result);
  }

 private:
  // The input in fp32, its sums of rows, and their sums of columns: the same tensor if there is
  // nothing to add.
  struct Buffers {
    TensorView x, between, result;
    bool has_rows = false, has_columns = false;
  };
  Buffers buffers(Fp32Steps& steps, const TensorView& out, const TensorView& in,
                  bool is_whole) const {
    Buffers b{.x = steps.widened(in),
              .has_rows = !is_whole || !is_identity(rows_, inputs[0].e.h),
              .has_columns = !is_identity(columns_, inputs[0].e.w)};
    Shape shape = b.x.shape;
    shape.h = out.shape.h;
    b.between = b.has_rows ? steps.buffer(shape) : b.x;
    b.result = b.has_columns ? steps.buffer(out.shape) : b.between;
    return b;
  }

  // Returns the most rows that `count` rows of the result need.
  int64_t most_input_rows(int64_t count) const {
    int64_t& known = most_rows_[static_cast<size_t>(count)];
    if (known != 0) return known;
    known = std::max<int64_t>(1, widest_window(row_spans_, count));
    return known;
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

  // The first output and input of a tile, along rows or columns.
  struct Place {
    int64_t output, input;
    bool is_row;
  };
  static void sum(Fp32Steps& steps, const AxisTaps& taps, const Runs& all, const Place& place,
                  const TensorView& to, const TensorView& from) {
    for (const TapRun& run : all.runs) {
      const TensorView y = every(to, place.is_row, run.first - place.output, run.count, all.step);
      bool is_first = true;
      for (const Tap& tap : taps[static_cast<size_t>(run.first)]) {
        const TensorView x =
            every(from, place.is_row, tap.source - place.input, run.count, run.distance);
        steps.arithmetic(is_first ? Fp32Steps::Kind::mul : Fp32Steps::Kind::mac, y, x, tap.weight);
        is_first = false;
      }
      if (!is_first) continue;
      const Source zero = number(0, DType::f32);
      steps.add(Copy{.engine = Engine::compute, .dst = y, .src = zero});
    }
  }

  const AxisTaps rows_, columns_;
  const Runs column_runs_;
  const std::vector<Span> row_spans_;       // of the taps of each row
  mutable std::vector<int64_t> most_rows_;  // by rows of the result; 0: not known
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
  auto k = std::make_unique<Resample>(std::move(rows), std::move(columns));
  k->inputs = {layer.input(0)};
  k->output = layer.output();
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
