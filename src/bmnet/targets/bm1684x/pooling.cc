// Pooling: the largest value or the average of a window.
#include "bmnet/targets/bm1684x/window.h"
#include "numerics/float16.h"

namespace tputwin::net::bm1684x {
namespace {

class Pooling final : public WindowKernel {
 public:
  bool is_average = false;
  Overhang overhang;

  void emit(StreamProgram& program, const Operands& o) const override {
    const DType type = inputs[0].type;
    Pool2dBm1684xFloat op{.out = out_view(o), .in = in_view(o), .window = window_of_tile(o)};
    if (is_average) {
      op.kind = Pool2dBm1684xFloat::Kind::average;
      op.factor = float_bits(1.0f / static_cast<float>(window.kernel_h * window.kernel_w), type);
    } else {
      op.padding = op.insertion = lowest_bits(type);
    }
    program.add(op);
    if (is_average && overhang.any()) correct(program, o);
  }

 private:
  // Caffe divides by the taps within its padded input. The last windows have fewer: scales their
  // averages.
  void correct(StreamProgram& program, const Operands& o) const {
    const bool last_row = overhang.h > 0 && o.rows.end == output.e.h;
    const auto ratio = [](int kernel, int beyond) {
      return static_cast<float>(kernel) / static_cast<float>(kernel - beyond);
    };
    if (last_row) scale(program, part(o, true), ratio(window.kernel_h, overhang.h));
    if (overhang.w > 0) scale(program, part(o, false), ratio(window.kernel_w, overhang.w));
  }

  // Returns the last row or the last column of the result.
  TensorView part(const Operands& o, bool row) const {
    TensorView view = out_view(o);
    const uint32_t bytes = element_bytes(view.dtype);
    if (row) {
      view.address += (view.shape.h - 1) * view.stride.h;
      view.shape.h = 1;
      view.stride.h = 0;
    } else {
      view.address += (view.shape.w - 1) * bytes;
      view.shape.w = 1;
      view.stride.w = 0;
    }
    return view;
  }

  static void scale(StreamProgram& program, const TensorView& t, float factor) {
    program.add(FloatArithmetic{.kind = FloatArithmetic::Kind::mul,
                                .out = t,
                                .a = Source::tensor(t),
                                .b = number(factor, t.dtype)});
  }
};

}  // namespace

Kernels lower_pooling(const Layer& layer) {
  const TensorOp& op = layer.op;
  auto k = std::make_unique<Pooling>();
  k->window = pooling_window(op);
  k->is_average = op.tg_pooling_param().pool() == ::bmnet::TGPoolingParameter::AVE;
  k->overhang = average_overhang(op);
  k->inputs = {layer.input(0)};
  k->output = layer.output();
  TW_RETURN_IF_ERROR(fit_window(op, k->window, k->inputs[0].e, k->output.e));
  return one(std::move(k));
}

}  // namespace tputwin::net::bm1684x
