// Reductions of all axes from one on to one value: sums, products, extremes, norms.
#include <fmt/format.h>

#include "bmnet/targets/bm1684x/axis/axis_kernel.h"
#include "bmnet/targets/bm1684x/axis/expand.h"

namespace tputwin::net::bm1684x {
namespace {

using Reducing = ::bmnet::TGReductionParameter;

class Reduction final : public AxisKernel {
 public:
  Reducing::ReductionOp operation = Reducing::SUM;
  float coefficient = 1;

 protected:
  void compute(Fp32Steps& steps, const TensorView& out, const AxisInputs& in) const override {
    const TensorView x = steps.widened(in.x);
    const TensorView folded = this->folded(steps, fold_kind(), prepared(steps, x));
    const TensorView result = steps.buffer(folded.shape);
    steps.store(result, folded);
    finish(steps, x, result);
    if (coefficient != 1) steps.arithmetic(Kind::mul, result, result, coefficient);
    steps.store(out, result);
  }

 private:
  Kind fold_kind() const {
    switch (operation) {
      case Reducing::MAX:
      case Reducing::LOG_SUM_EXP:
        return Kind::max;
      case Reducing::MIN:
        return Kind::lesser;
      case Reducing::PROD:
        return Kind::mul;
      default:
        return Kind::add;
    }
  }

  // Returns what is folded: x, its magnitudes or its squares.
  TensorView prepared(Fp32Steps& steps, const TensorView& x) const {
    const bool is_square = operation == Reducing::SUMSQ || operation == Reducing::NORM;
    if (!is_square && operation != Reducing::ASUM) return x;
    const TensorView to = steps.buffer(x.shape);
    if (is_square)
      steps.arithmetic(Kind::mul, to, x, x);
    else
      steps.add(Unary{.kind = Unary::Kind::abs, .out = to, .in = x});
    return to;
  }

  void finish(Fp32Steps& steps, const TensorView& x, const TensorView& result) const {
    const auto apply = [&](FloatFunction::Kind function) {
      const TensorView argument = steps.buffer(result.shape);
      steps.store(argument, result);
      steps.call(function, result, argument);
    };
    const float length = static_cast<float>(uint64_t{x.shape.h} * x.shape.w);
    if (operation == Reducing::MEAN) steps.arithmetic(Kind::mul, result, result, 1 / length);
    if (operation == Reducing::NORM) apply(FloatFunction::Kind::sqrt);
    if (operation == Reducing::LOG_SUM) apply(FloatFunction::Kind::log);
    if (operation == Reducing::LOG_SUM_EXP) add_log_of_sum(steps, x, result);
  }

  // result += log(sum of e^(x - result))
  void add_log_of_sum(Fp32Steps& steps, const TensorView& x, const TensorView& result) const {
    const TensorView below = steps.buffer(x.shape), power = steps.buffer(x.shape);
    steps.arithmetic(Kind::sub, below, x, repeated_over(result, x.shape));
    steps.arithmetic(Kind::max, below, below, kLeastExponent);
    steps.call(FloatFunction::Kind::exp, power, below);
    const TensorView folded = this->folded(steps, Kind::add, power);
    const TensorView sum = steps.buffer(folded.shape), log = steps.buffer(folded.shape);
    steps.store(sum, folded);
    steps.call(FloatFunction::Kind::log, log, sum);
    steps.arithmetic(Kind::add, result, result, log);
  }
};

// Returns the part of the result that belongs to a part of the input.
View result_view(View whole, const AxisPart& part, int64_t length) {
  const Extents e{part.e.n, part.e.c, 1, 1};
  if (part.first == 0 && e == whole.e) return whole;
  whole.e = e;
  whole.steps = packed_steps(e);
  whole.offset += part.first / length * element_bytes(whole.type);
  return whole;
}

std::unique_ptr<Reduction> reduction_of(const Layer& layer, const View& in, const View& out) {
  auto k = std::make_unique<Reduction>();
  k->operation = layer.op.tg_reduction_param().operation();
  k->coefficient = layer.op.tg_reduction_param().coeff();
  k->inputs = {in};
  k->output = out;
  return k;
}

View part_of(View view, const Extents& e, const ViewSteps& steps, int64_t first) {
  view.e = e;
  view.steps = steps;
  view.offset = first * element_bytes(view.type);
  return view;
}

// True if a lane holds a sample of the kernel's tensors, twice, and the scratch.
bool fits_lane(const Reduction& k) {
  int64_t bytes = 0;
  Extents out = k.output.e;
  out.n = 1;
  for (const View* view : {&k.inputs[0], &k.output}) {
    Extents tile = view->e;
    tile.n = 1;
    bytes += 2 * local_memory().tensor_bytes(*view, tile);
  }
  return bytes + k.scratch_bytes(out) <= chip().lane_bytes;
}

// Returns at most `most` channels, so many that the kernel that `make` returns for them fits.
template <class Make>
int64_t fitting_channels(int64_t most, const Make& make) {
  while (most > chip().lanes && !fits_lane(*make(most)))
    most = std::max<int64_t>(align_up_to(most / 2, chip().lanes) - chip().lanes, chip().lanes);
  return most;
}

// One result for each chunk of a row. The last chunks are shorter.
Kernels chunk_kernels(const Layer& layer, const AxisShape& shape) {
  const AxisChunks chunks = chunks_of(shape.extent);
  const int64_t whole = shape.extent / chunks.length, rest = shape.extent % chunks.length;
  const View in = layer.input(0), out = layer.output();
  std::vector<KernelPtr> kernels;
  const int64_t from = shape.extent, to = chunks.count;
  const auto chunk_kernel = [&](int64_t c, int64_t count) {
    return reduction_of(layer,
                        part_of(in, {shape.outer, count, 1, chunks.length},
                                {from, chunks.length, 0, 1}, c * chunks.length),
                        part_of(out, {shape.outer, count, 1, 1}, {to, 1, 0, 0}, c));
  };
  const int64_t most =
      fitting_channels(std::min(whole, most_channels(chip().limits.channels)),
                       [&](int64_t count) { return chunk_kernel(0, std::min(count, whole)); });
  for (int64_t c = 0; c < whole; c += most)
    kernels.push_back(chunk_kernel(c, std::min(most, whole - c)));
  if (rest == 0) return kernels;
  kernels.push_back(reduction_of(
      layer, part_of(in, {shape.outer, 1, 1, rest}, {from, 0, 0, 1}, whole * chunks.length),
      part_of(out, {shape.outer, 1, 1, 1}, {to, 0, 0, 0}, whole)));
  return kernels;
}

// Planes of maps stay as they are. A kernel has as many channels as fit.
Kernels plane_kernels(const Layer& layer) {
  const View in = layer.input(0);
  const View out = regrouped(layer.output(), {in.e.n, in.e.c, 1, 1});
  const auto plane_kernel = [&](int64_t c, int64_t count) {
    const Span channels{c, c + count};
    return reduction_of(layer, channels_of(in, channels), channels_of(out, channels));
  };
  const int64_t most =
      fitting_channels(std::min(in.e.c, most_channels(chip().limits.channels)),
                       [&](int64_t count) { return plane_kernel(0, std::min(count, in.e.c)); });
  std::vector<KernelPtr> kernels;
  for (int64_t c = 0; c < in.e.c; c += most)
    kernels.push_back(plane_kernel(c, std::min(most, in.e.c - c)));
  return kernels;
}

}  // namespace

Kernels lower_reduction(const Layer& layer) {
  const AxisShape shape =
      around(layer.op.input_shape(0), layer.op.tg_reduction_param().axis(), true);
  if (count(layer.op.output_shape(0)) != shape.outer) return chunk_kernels(layer, shape);
  const View in = layer.input(0);
  if (in.e.n * in.e.c == shape.outer && !in.steps) return plane_kernels(layer);
  return axis_kernels(in, shape, [&](const AxisPart& part) {
    return reduction_of(layer, part.view(in), result_view(layer.output(), part, shape.extent));
  });
}

}  // namespace tputwin::net::bm1684x
