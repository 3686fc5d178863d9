// Softmax along an axis, and its logarithm.
#include "bmnet/targets/bm1684x/axis/axis_kernel.h"

namespace tputwin::net::bm1684x {
namespace {

class Softmax final : public AxisKernel {
 public:
  bool is_log = false;

 protected:
  void compute(Fp32Steps& steps, const TensorView& out, const AxisInputs& in) const override {
    const TensorView x = steps.widened(in.x);
    const TensorView largest = this->folded(steps, Kind::max, x);
    const TensorView below = steps.buffer(x.shape), power = steps.buffer(x.shape);
    steps.arithmetic(Kind::sub, below, x, repeated_over(largest, x.shape));
    const TensorView exponent = is_log ? power : below;
    steps.arithmetic(Kind::max, exponent, below, kLeastExponent);
    const TensorView exponential = is_log ? steps.buffer(x.shape) : power;
    steps.call(FloatFunction::Kind::exp, exponential, exponent);
    const TensorView folded = this->folded(steps, Kind::add, exponential);
    const TensorView sum = steps.buffer(folded.shape), factor = steps.buffer(folded.shape);
    steps.store(sum, folded);
    if (is_log)
      steps.call(FloatFunction::Kind::log, factor, sum);
    else
      steps.divide(factor, 1, sum);
    const TensorView to = out.dtype == DType::f32 ? out : below;
    steps.arithmetic(is_log ? Kind::sub : Kind::mul, to, is_log ? below : exponential,
                     repeated_over(factor, x.shape));
    if (to != out) steps.store(out, to);
  }
};

}  // namespace

Kernels lower_softmax(const Layer& layer) {
  const auto& param = layer.op.tg_softmax_param();
  return axis_kernels(layer, param.axis(), [&](const AxisPart& part) {
    auto k = std::make_unique<Softmax>();
    k->is_log = param.log();
    part.set_views(layer, *k);
    return k;
  });
}

}  // namespace tputwin::net::bm1684x
