// Sums, products and maxima of tensors; conversions between types.
#include "bmnet/targets/bm1684x/lower.h"
#include "bmnet/targets/bm1684x/views.h"
#include "isa/streams/reader.h"

namespace tputwin::net::bm1684x {
namespace {

using Real = FloatArithmetic::Kind;
using Parameter = ::bmnet::TGEltwiseParameter;

class Eltwise final : public ElementwiseStreamKernel {
 public:
  Parameter::EltwiseOp operation = Parameter::SUM;
  std::vector<float> factors;  // of a sum
  bool by_channel = false;     // the second factor has one value per channel

  bool accepts_rows(size_t input, Span rows, Span held) const override {
    return (by_channel && input == 1) || ElementwiseStreamKernel::accepts_rows(input, rows, held);
  }
  Span input_rows(size_t input, Span rows) const override {
    return by_channel && input == 1 ? Span{0, 1} : rows;
  }
  int64_t scratch_bytes(const Extents& e) const override {
    return has_factors() ? local_memory().tensor_bytes(output, e) : 0;
  }

  void emit(StreamProgram& program, const Operands& o) const override {
    const TensorView out = out_view(o);
    TensorView sum = operand(program, o, 0, out);
    for (size_t i = 1; i < inputs.size(); ++i) {
      const TensorView term = operand(program, o, i, scratch(o));
      program.add(FloatArithmetic{
          .kind = kind(), .out = out, .a = Source::tensor(sum), .b = Source::tensor(term)});
      sum = out;
    }
    if (do_relu) emit_relu(program, out);
  }

 private:
  Real kind() const {
    return operation == Parameter::SUM    ? Real::add
           : operation == Parameter::PROD ? Real::mul
                                          : Real::max;
  }
  bool has_factors() const {
    return std::ranges::any_of(factors, [](float f) { return f != 1; });
  }
  TensorView scratch(const Operands& o) const {
    return aligned(o.scratch, o.output.e, output.type);
  }

  // Returns an input, multiplied by its factor in `to` if it has one.
  TensorView operand(StreamProgram& program, const Operands& o, size_t i,
                     const TensorView& to) const {
    if (by_channel && i == 1) {
      TensorView view = in_view(o, i);
      view.shape = shape_of(o.output.e);
      view.stride.n = o.output.e.n > 1 ? view.stride.n : 0;
      view.stride.h = view.stride.w = 0;
      return view;
    }
    const TensorView in = rows_view(o, i);
    if (operation != Parameter::SUM || factors[i] == 1) return in;
    program.add(FloatArithmetic{.kind = Real::mul,
                                .out = to,
                                .a = Source::tensor(in),
                                .b = number(factors[i], output.type)});
    return to;
  }
};

class Cast final : public ElementwiseStreamKernel {
 public:
  void emit(StreamProgram& program, const Operands& o) const override {
    program.add(
        Convert{.rounding = Rounding::half_even, .out = out_view(o), .in = rows_view(o, 0)});
  }
};

}  // namespace

Kernels lower_eltwise(const Layer& layer) {
  const auto& param = layer.op.tg_eltwise_param();
  auto k = std::make_unique<Eltwise>();
  k->operation = param.operation();
  k->by_channel = is_channel_product(layer.op);
  for (int i = 0; i < layer.op.bottom_size(); ++i) {
    k->inputs.push_back(layer.input_like_output(i));
    k->factors.push_back(i < param.coeff_size() ? param.coeff(i) : 1.0f);
  }
  k->output = layer.output();
  k->do_relu = param.do_activation();
  if (!k->by_channel) spread_if_large(*k);
  return one(std::move(k));
}

Kernels lower_cast(const Layer& layer) {
  auto k = std::make_unique<Cast>();
  k->inputs = {layer.input_like_output(0)};
  k->output = layer.output();
  spread_if_large(*k);
  return one(std::move(k));
}

}  // namespace tputwin::net::bm1684x
