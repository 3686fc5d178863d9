// Local response normalization across channels.
#include "bmnet/targets/bm1684x/fp32_steps.h"
#include "bmnet/targets/bm1684x/views.h"

namespace tputwin::net::bm1684x {
namespace {

// y = x * (k + alpha / size * sum of squares)^-beta. The sum over neighbouring channels is a
// convolution of the squares, in fp32, with a matrix of bands; k is its bias.
class Lrn final : public RepeatingKernel {
 public:
  float beta = 0;

  int64_t scratch_bytes(const Extents& e) const override {
    Fp32Steps steps;
    const TensorView tile = aligned(0, e, output.type);
    compute(steps, tile, tile, 0, 0);
    return steps.used();
  }

  void emit(StreamProgram& program, const Operands& o) const override {
    Fp32Steps steps(program, o.scratch);
    compute(steps, out_view(o), rows_view(o, 0), o.weights[0].address, o.weights[1].address);
  }

 private:
  void compute(Fp32Steps& steps, const TensorView& out, const TensorView& in, uint32_t weight,
               uint32_t bias) const {
    using Kind = Fp32Steps::Kind;
    const TensorView x = steps.buffer(out.shape), squares = steps.buffer(out.shape);
    const TensorView sum = steps.buffer(out.shape), power = steps.buffer(out.shape);
    steps.store(x, in);
    steps.arithmetic(Kind::mul, squares, x, x);
    const Extents w = weights[0].e;
    steps.add(Conv2dBm1684xFloat{.out = sum,
                                 .in = squares,
                                 .weight = Source::tensor(compact(weight, w, DType::f32)),
                                 .bias = compact(bias, {1, w.c, 1, 1}, DType::f32)});
    steps.power(power, sum, -beta);
    steps.arithmetic(Kind::mul, power, power, x);
    steps.store(out, power);
  }
};

}  // namespace

Kernels lower_lrn(const Layer& layer) {
  const auto& param = layer.op.tg_lrn_param();
  auto k = std::make_unique<Lrn>();
  k->inputs = {layer.input(0)};
  k->output = layer.output();
  k->beta = param.beta();
  const int64_t channels = k->output.e.c, size = param.local_size();
  const int64_t before = (size - 1) / 2, after = size - 1 - before;
  // A row of the matrix has whole groups of input channels.
  const int64_t group = target().weight_group(DType::f32), groups = ceil_div(channels, group);
  const int64_t row = groups * group;
  std::vector<float> band(static_cast<size_t>(channels * row));
  for (int64_t c = 0; c < channels; ++c)
    for (int64_t i = std::max<int64_t>(0, c - before); i <= std::min(channels - 1, c + after); ++i)
      band[static_cast<size_t>(c * row + i)] = param.alpha() / static_cast<float>(size);
  k->weights.push_back(
      {.bytes = bytes_of(band, DType::f32), .e = {1, channels, groups, group}, .type = DType::f32});
  const std::vector<float> bias(static_cast<size_t>(channels), param.k());
  k->weights.push_back(channel_weight(bias, DType::f32));
  return one(std::move(k));
}

}  // namespace tputwin::net::bm1684x
