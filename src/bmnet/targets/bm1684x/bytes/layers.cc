// Pooling, sums, products, tables and conversions of bytes.
#include <cmath>
#include <functional>
#include <optional>

#include "bmnet/cpu_ops/table_function.h"
#include "bmnet/targets/bm1684x/bytes/scaling.h"
#include "bmnet/targets/bm1684x/views.h"
#include "bmnet/targets/bm1684x/window.h"

namespace tputwin::net::bm1684x {
namespace {

using Integer = IntArithmetic::Kind;
using Parameter = ::bmnet::TGEltwiseParameter;

int64_t word_tile(const Extents& e) {
  return local_memory().tensor_bytes({.tensor = {}, .e = e, .type = DType::i32}, e);
}

// ---- Pooling ----

class BytePooling final : public WindowKernel {
 public:
  bool is_average = false;
  double ratio = 1;  // of the sum of a window

  int64_t scratch_bytes(const Extents& e) const override { return is_average ? word_tile(e) : 0; }

  void emit(StreamProgram& program, const Operands& o) const override {
    const bool is_unsigned = inputs[0].type == DType::u8;
    Pool2dBm1684xInt8 op{.out = out_view(o), .in = in_view(o), .window = window_of_tile(o)};
    if (!is_average) {
      op.padding = op.insertion = is_unsigned ? 0 : -128;
      return program.add(op);
    }
    op.kind = Pool2dBm1684xInt8::Kind::average;
    op.out = aligned(o.scratch, o.output.e, is_unsigned ? DType::u32 : DType::i32);
    program.add(op);
    scale_to_bytes(program, out_view(o), retyped(op.out, DType::i32), ratio);
  }
};

// ---- Sums, products, maxima ----

class ByteEltwise final : public ElementwiseStreamKernel {
 public:
  Parameter::EltwiseOp operation = Parameter::SUM;
  bool by_channel = false;       // the second factor has one value per channel
  std::vector<int32_t> factors;  // of a sum or maximum: 15 bits
  double ratio = 1;              // of the 32-bit result

  bool accepts_rows(size_t input, Span rows, Span held) const override {
    return (by_channel && input == 1) || ElementwiseStreamKernel::accepts_rows(input, rows, held);
  }
  Span input_rows(size_t input, Span rows) const override {
    return by_channel && input == 1 ? Span{0, 1} : rows;
  }
  int64_t scratch_bytes(const Extents& e) const override { return 2 * word_tile(e); }

  void emit(StreamProgram& program, const Operands& o) const override {
    const TensorView sum = word_view(o, 0), term = word_view(o, 1);
    if (operation == Parameter::PROD) {
      const bool any_signed = is_signed(inputs[0].type) || is_signed(inputs[1].type);
      program.add(IntArithmetic{.kind = Integer::mul,
                                .out = retyped(sum, any_signed ? DType::i32 : DType::u32),
                                .a = Source::tensor(factor(program, o, 0)),
                                .b = Source::tensor(factor(program, o, 1))});
    } else {
      multiply(program, o, 0, sum);
      for (size_t i = 1; i < inputs.size(); ++i) {
        multiply(program, o, i, term);
        program.add(IntArithmetic{.kind = operation == Parameter::SUM ? Integer::add : Integer::max,
                                  .out = sum,
                                  .a = Source::tensor(sum),
                                  .b = Source::tensor(term)});
      }
    }
    scale_to_bytes(program, out_view(o), sum, ratio);
  }

 private:
  TensorView word_view(const Operands& o, int64_t index) const {
    return aligned(o.scratch + static_cast<uint32_t>(index * word_tile(o.output.e)), o.output.e,
                   DType::i32);
  }
  // No recording multiplies bytes by a constant to 32 bits. So they are widened first.
  void multiply(StreamProgram& program, const Operands& o, size_t i, const TensorView& to) const {
    program.add(Convert{.rounding = Rounding::half_even, .out = to, .in = rows_view(o, i)});
    program.add(IntArithmetic{.kind = Integer::mul,
                              .out = to,
                              .a = Source::tensor(to),
                              .b = Source::value(static_cast<uint32_t>(factors[i]), DType::i16)});
  }
  // Recordings have products of signed bytes. Of others one operand is widened: an unsigned one
  // beside a signed one to i16, of two unsigned ones the second to u32.
  std::optional<DType> wide_type(size_t i) const {
    if (is_signed(inputs[i].type)) return std::nullopt;
    if (is_signed(inputs[1 - i].type)) return DType::i16;
    return i == 1 ? std::optional(DType::u32) : std::nullopt;
  }
  TensorView factor(StreamProgram& program, const Operands& o, size_t i) const {
    const bool repeats = by_channel && i == 1;
    TensorView view = repeats ? in_view(o, i) : rows_view(o, i);
    if (const auto type = wide_type(i)) {
      const Shape& s = view.shape;
      const TensorView wide = aligned(word_view(o, 1).address, {s.n, s.c, s.h, s.w}, *type);
      program.add(Convert{.rounding = Rounding::half_even, .out = wide, .in = view});
      view = wide;
    }
    if (!repeats) return view;
    view.shape = shape_of(o.output.e);
    view.stride.n = o.output.e.n > 1 ? view.stride.n : 0;
    view.stride.h = view.stride.w = 0;
    return view;
  }
};

// ---- Tables ----

// y = table[x as an unsigned byte]
class ByteTable final : public StreamKernel {
 public:
  void emit(StreamProgram& program, const Operands& o) const override {
    const DType type = output.type;
    program.add(TableLookup{.out = out_view(o),
                            .in = retyped(in_view(o), DType::u8),
                            .table = aligned(o.weights[0].address, weights[0].e, type),
                            .fault = std::make_shared<IndexFault>()});
  }
};

Weight table_of(const std::function<float(float)>& function, const Numbers& from,
                const Numbers& to) {
  const double least = to.type == DType::u8 ? 0 : -128, most = to.type == DType::u8 ? 255 : 127;
  std::vector<uint8_t> table;
  for (int byte = 0; byte < 256; ++byte) {
    const int x = from.type == DType::u8 ? byte : static_cast<int8_t>(byte);
    const double y =
        std::floor(double{function(static_cast<float>(x) * from.scale)} / to.scale + 0.5);
    const double limited = std::isnan(y) ? 0 : std::clamp(y, least, most);
    table.push_back(static_cast<uint8_t>(static_cast<int>(limited)));
  }
  // Every lane has the table.
  std::vector<uint8_t> bytes;
  for (uint32_t lane = 0; lane < chip().lanes; ++lane)
    bytes.insert(bytes.end(), table.begin(), table.end());
  return {.bytes = std::move(bytes),
          .e = {1, chip().lanes, 1, 256},
          .layout = Weight::Layout::aligned,
          .by_channel = false,
          .type = to.type};
}

// ---- Conversions ----

class ByteCast final : public StreamKernel {
 public:
  Numbers from, to;

  int64_t scratch_bytes(const Extents& e) const override { return word_tile(e); }

  void emit(StreamProgram& program, const Operands& o) const override {
    const TensorView in = in_view(o), out = out_view(o);
    if (!from.is_int8()) return to_bytes(program, o, in, out);
    if (to.is_int8()) {
      const TensorView wide = aligned(o.scratch, o.output.e, DType::i16);
      program.add(Convert{.rounding = Rounding::half_even, .out = wide, .in = in});
      return scale_to_bytes(program, out, wide, double{from.scale} / to.scale);
    }
    const bool half = to.type != DType::f32;
    const TensorView real = half ? aligned(o.scratch, o.output.e, DType::f32) : out;
    program.add(Requantize{.kind = Requantize::Kind::f32_wide,
                           .out = real,
                           .in = in,
                           .multiplier = Source::value(f32::bits(from.scale), DType::f32),
                           .offset = Source::value(0, DType::i32)});
    if (half) program.add(Convert{.rounding = Rounding::half_even, .out = out, .in = real});
  }

 private:
  void to_bytes(StreamProgram& program, const Operands& o, const TensorView& in,
                const TensorView& out) const {
    const TensorView real = aligned(o.scratch, o.output.e, DType::f32);
    TensorView x = in;
    if (in.dtype != DType::f32) {
      program.add(Convert{.rounding = Rounding::half_even, .out = real, .in = in});
      x = real;
    }
    program.add(FloatArithmetic{.kind = FloatArithmetic::Kind::mul,
                                .out = real,
                                .a = Source::tensor(x),
                                .b = number(1 / to.scale, DType::f32)});
    program.add(Convert{.rounding = Rounding::half_away, .out = out, .in = real});
  }
};

template <class K>
std::unique_ptr<K> kernel_of(const Layer& layer) {
  auto k = std::make_unique<K>();
  for (int i = 0; i < layer.op.bottom_size(); ++i) k->inputs.push_back(layer.input_like_output(i));
  k->output = layer.output();
  return k;
}

}  // namespace

Kernels lower_byte_pooling(const Layer& layer) {
  const TensorOp& op = layer.op;
  auto k = std::make_unique<BytePooling>();
  k->inputs = {layer.input(0)};
  k->output = layer.output();
  k->window = pooling_window(op);
  k->is_average = op.tg_pooling_param().pool() == ::bmnet::TGPoolingParameter::AVE;
  k->ratio = double{layer.scale_in()} / layer.scale_out() /
             (double{1} * k->window.kernel_h * k->window.kernel_w);
  TW_RETURN_IF_ERROR(fit_window(op, k->window, k->inputs[0].e, k->output.e));
  return one(std::move(k));
}

Kernels lower_byte_eltwise(const Layer& layer) {
  const auto& param = layer.op.tg_eltwise_param();
  auto k = kernel_of<ByteEltwise>(layer);
  k->operation = param.operation();
  k->by_channel = is_channel_product(layer.op);
  if (!k->by_channel) spread_if_large(*k);
  if (k->operation == Parameter::PROD) {
    k->ratio = double{layer.scale_in(0)} * layer.scale_in(1) / layer.scale_out();
    return one(std::move(k));
  }
  // Factors of 15 bits, the largest one at least half of that.
  std::vector<double> ratios;
  double largest = 0;
  for (int i = 0; i < layer.op.bottom_size(); ++i) {
    const bool has_factor = k->operation == Parameter::SUM && i < param.coeff_size();
    ratios.push_back((has_factor ? param.coeff(i) : 1.0) * layer.scale_in(i) / layer.scale_out());
    largest = std::max(largest, std::fabs(ratios.back()));
  }
  const int shift = largest > 0 ? 14 - std::ilogb(largest) - 1 : 0;
  for (double ratio : ratios)
    k->factors.push_back(static_cast<int32_t>(std::llround(std::ldexp(ratio, shift))));
  k->ratio = std::ldexp(1.0, -shift);
  return one(std::move(k));
}

Kernels lower_byte_function(const Layer& layer) {
  std::function<float(float)> value;
  if (is_plain_relu(layer.op)) value = [](float x) { return std::max(x, 0.0f); };
  if (is_leaky_relu(layer.op))
    value = [slope = layer.op.tg_activation_param().activation_arg(0)](float x) {
      return x > 0 ? x : x * slope;
    };
  if (!value) value = table_function(layer.op);
  if (!value)
    return unsupported(layer.op, "type", layer.op.type(), "there is no table of this function");
  auto k = kernel_of<ByteTable>(layer);
  k->weights.push_back(
      table_of(value, layer.types.of(layer.op.bottom(0)), layer.types.of(layer.op.top(0))));
  spread_if_large(*k);
  return one(std::move(k));
}

Kernels lower_byte_cast(const Layer& layer) {
  auto k = kernel_of<ByteCast>(layer);
  k->from = layer.types.of(layer.op.bottom(0));
  k->to = layer.types.of(layer.op.top(0));
  spread_if_large(*k);
  return one(std::move(k));
}

}  // namespace tputwin::net::bm1684x
