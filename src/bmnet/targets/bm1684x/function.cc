// Functions of one value: activations, powers, clips.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "bmnet/targets/bm1684x/functions/composed_function.h"
#include "bmnet/targets/bm1684x/half_functions.h"
#include "bmnet/targets/bm1684x/library_function.h"
#include "bmnet/targets/bm1684x/lower.h"
#include "bmnet/targets/bm1684x/scalar_steps.h"
#include "bmnet/targets/bm1684x/views.h"

namespace tputwin::net::bm1684x {
namespace {

using Kind = ScalarStep::Kind;
using Real = FloatArithmetic::Kind;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

bool is_call(const ScalarStep& step) { return step.kind == Kind::function; }
bool destroys(const ScalarStep& step) { return is_call(step) && destroys_source(step.function); }

// Computes the steps one after the other. Functions of the kernel library are fp32, so that values
// of 16 bits become fp32 before the first step and are rounded after the last.
class ScalarFunction final : public StreamKernel {
 public:
  // `numbers` is the precision: f32, or 16 bits of which input and result may still be fp32.
  ScalarFunction(std::vector<ScalarStep> steps, DType numbers)
      : steps_(std::move(steps)), numbers_(numbers) {}

  int64_t scratch_bytes(const Extents& e) const override {
    int64_t work = 0;
    for (const ScalarStep& step : steps_) {
      if (!is_call(step)) {
        work = std::max(work, static_cast<int64_t>(target().work_of_steps()) * tile_bytes(e));
        continue;
      }
      if (is_half_step(step)) {
        work = std::max(work, kHalfWorkTensors * tile_bytes(e));
        continue;
      }
      const FunctionNeeds needs = needs_of(step.function);
      work = std::max(
          work, static_cast<int64_t>(needs.work_tensors) * tile_bytes(e) + needs.table_bytes());
    }
    return buffers() * tile_bytes(e) + work;
  }

  void emit(StreamProgram& program, const Operands& o) const override {
    const TensorView x = first_value(program, o);
    TensorView y = x, base = x;
    for (size_t i = 0; i < steps_.size(); ++i) {
      if (steps_[i].kind == Kind::base) {
        base = buffer(o, buffers() - 1);
        convert(program, base, y);
        continue;
      }
      const TensorView to = destination(o, i, y);
      step(program, o, steps_[i], to, y, steps_[i].kind == Kind::gate_first ? x : base);
      y = to;
    }
    if (gives_copy()) convert(program, out_view(o), y);
  }

 private:
  static void convert(StreamProgram& program, const TensorView& to, const TensorView& from) {
    if (to.dtype == from.dtype)
      return program.add(Copy{.engine = Engine::compute, .dst = to, .src = Source::tensor(from)});
    program.add(Convert{.rounding = Rounding::half_even, .out = to, .in = from});
  }

  bool is_half_step(const ScalarStep& step) const {
    return is_half(numbers_) && is_call(step) && has_half_function(step.function);
  }
  DType type() const {
    const bool has_fp32 = inputs[0].type == DType::f32 || output.type == DType::f32;
    return has_fp32 || are_fp32(steps_, numbers_) ? DType::f32 : numbers_;
  }
  // True if the steps work on a copy of the input, or their result is copied.
  bool takes_copy() const {
    return type() != inputs[0].type || std::ranges::any_of(steps_, destroys);
  }
  bool gives_copy() const { return type() != output.type || std::ranges::any_of(steps_, destroys); }
  bool has_base() const {
    return std::ranges::any_of(steps_, [](const ScalarStep& s) { return s.kind == Kind::base; });
  }
  // Values between steps, the copy of the input, and the base.
  int64_t buffers() const {
    const int64_t between =
        std::min<int64_t>(static_cast<int64_t>(steps_.size()) - (gives_copy() ? 0 : 1), 2);
    return between + (takes_copy() ? 1 : 0) + (has_base() ? 1 : 0);
  }
  int64_t tile_bytes(const Extents& e) const {
    return local_memory().tensor_bytes({.tensor = {}, .e = e, .type = type()}, e);
  }
  TensorView buffer(const Operands& o, int64_t index) const {
    return aligned(o.scratch + static_cast<uint32_t>(index * tile_bytes(o.output.e)), o.output.e,
                   type());
  }

  // Work tensors follow the buffers.
  uint32_t work_address(const Operands& o) const {
    return o.scratch + static_cast<uint32_t>(buffers() * tile_bytes(o.output.e));
  }

  TensorView first_value(StreamProgram& program, const Operands& o) const {
    if (!takes_copy()) return in_view(o);
    const TensorView x = buffer(o, buffers() - (has_base() ? 2 : 1));
    convert(program, x, in_view(o));
    return x;
  }

  // Values alternate between two buffers.
  TensorView destination(const Operands& o, size_t i, const TensorView& from) const {
    if (i + 1 == steps_.size() && !gives_copy()) return out_view(o);
    const TensorView first = buffer(o, 0);
    return from.address == first.address ? buffer(o, 1) : first;
  }

  // `x` is the base, or the value before the first step for gate_first.
  void step(StreamProgram& program, const Operands& o, const ScalarStep& s, const TensorView& to,
            const TensorView& y, const TensorView& x) const {
    const Source value = Source::tensor(y), constant = number(s.constant, type());
    auto arithmetic = [&](Real kind, const Source& b) {
      program.add(FloatArithmetic{.kind = kind, .out = to, .a = value, .b = b});
    };
    switch (s.kind) {
      case Kind::add:
        return arithmetic(Real::add, constant);
      case Kind::multiply:
        return arithmetic(Real::mul, constant);
      case Kind::at_least:
        return arithmetic(Real::max, constant);
      case Kind::at_most:
        return arithmetic(Real::lesser, constant);
      case Kind::square:
        return arithmetic(Real::mul, value);
      case Kind::gate:
      case Kind::gate_first:
        return arithmetic(Real::mul, Source::tensor(x));
      case Kind::at_least_base:
        return arithmetic(Real::max, Source::tensor(x));
      case Kind::base:
        return;
      case Kind::leaky:
        arithmetic(Real::mul, constant);
        return program.add(FloatArithmetic{.kind = s.constant <= 1 ? Real::max : Real::lesser,
                                           .out = to,
                                           .a = Source::tensor(to),
                                           .b = value});
      case Kind::round:
        return target().round(program, to, y, s.rounding, work_address(o));
      case Kind::absolute:
        return program.add(Unary{.kind = Unary::Kind::abs, .out = to, .in = y});
      case Kind::above:
        // NaN is not larger than the constant.
        program.add(Copy{.engine = Engine::compute, .dst = to, .src = number(0, type())});
        return choose(program, o, to, y, Select::Compare::greater, floor_of(s.constant), value,
                      Source::tensor(to));
      case Kind::sign:
        return sign(program, o, to, y);
      case Kind::is:
      case Kind::is_not:
      case Kind::is_above:
      case Kind::is_nan:
        return test(program, o, s, to, y);
      case Kind::finite:
        return limit(program, o, to, y);
      case Kind::wrap:
        return wrap(program, o, s, to, y);
      case Kind::nan_below:
      case Kind::at_zero:
        return replace(program, o, s, to, y, x);
      case Kind::function:
        return call(program, o, s, to, y);
    }
  }

  // The largest number of the type that is not above `x`: those above both are the same.
  Source floor_of(float x) const {
    const float nearest = round_to(x, type());
    if (!(nearest > x)) return number(nearest, type());
    const uint32_t bits = float_bits(nearest, type());
    if (nearest == 0) return number(-float_value(1, type()), type());
    return number(float_value(nearest > 0 ? bits - 1 : bits + 1, type()), type());
  }

  // A constant where the base is negative or 0, for example.
  void replace(StreamProgram& program, const Operands& o, const ScalarStep& s, const TensorView& to,
               const TensorView& y, const TensorView& base) const {
    const Source constant = number(s.constant, type()), value = Source::tensor(y);
    if (s.kind == Kind::nan_below)
      return choose(program, o, to, base, Select::Compare::less, constant, number(kNan, type()),
                    value);
    choose(program, o, to, base, Select::Compare::equal_value, number(0, type()), constant, value);
  }

  // Negative numbers become -1, before and after the sign changes.
  void sign(StreamProgram& program, const Operands& o, const TensorView& to,
            const TensorView& y) const {
    const Source result = Source::tensor(to), minus_one = number(-1, type());
    for (const TensorView& from : {y, to}) {
      choose(program, o, to, from, Select::Compare::less, number(0, type()), minus_one,
             Source::tensor(from));
      program.add(FloatArithmetic{.kind = Real::mul, .out = to, .a = result, .b = minus_one});
    }
  }

  void limit(StreamProgram& program, const Operands& o, const TensorView& to,
             const TensorView& y) const {
    const float largest = numbers_ == DType::f16    ? 65504.0f
                          : numbers_ == DType::bf16 ? 0x1.fep127f
                                                    : 0x1.fffffep127f;
    using Compare = Select::Compare;
    choose(program, o, to, y, Compare::equal_value, number(INFINITY, type()),
           number(largest, type()), Source::tensor(y));
    choose(program, o, to, y, Compare::equal_value, number(-INFINITY, type()),
           number(-largest, type()), Source::tensor(to));
  }

  // 1 or 0. No condition of the chip but that of `is_not` holds for NaN.
  void test(StreamProgram& program, const Operands& o, const ScalarStep& s, const TensorView& to,
            const TensorView& y) const {
    using Compare = Select::Compare;
    const Source constant = number(s.constant, type()), one = number(1, type()),
                 zero = number(0, type());
    if (s.kind == Kind::is_nan) {
      // NaN is neither larger than minus infinity nor equal to it.
      const Source lowest = number(-INFINITY, type());
      choose(program, o, to, y, Compare::greater, lowest, zero, one);
      return choose(program, o, to, y, Compare::equal_value, lowest, zero, Source::tensor(to));
    }
    if (s.kind == Kind::is_not)
      return choose(program, o, to, y, Compare::equal_value, constant, zero, one);
    choose(program, o, to, y, s.kind == Kind::is_above ? Compare::greater : Compare::equal_value,
           constant, one, zero);
    if (s.kind == Kind::is_above ? s.other == INFINITY : s.other == s.constant) return;
    choose(program, o, to, y, Compare::equal_value, number(s.other, type()), one,
           Source::tensor(to));
  }

  // y - constant * floor((y - other) / constant)
  void wrap(StreamProgram& program, const Operands& o, const ScalarStep& s, const TensorView& to,
            const TensorView& y) const {
    const Source result = Source::tensor(to);
    auto next = [&](Real kind, const Source& a, const Source& b) {
      program.add(FloatArithmetic{.kind = kind, .out = to, .a = a, .b = b});
    };
    next(Real::mul, Source::tensor(y), number(1 / s.constant, type()));
    if (s.other != 0) next(Real::sub, result, number(s.other / s.constant, type()));
    target().round(program, to, to, Rounding::down, work_address(o));
    next(Real::mul, result, number(-s.constant, type()));
    next(Real::add, result, Source::tensor(y));
  }

  // Calls a function for results of 16 bits; its series is the kernel's weight.
  void call_half(StreamProgram& program, const Operands& o, const ScalarStep& s,
                 const TensorView& to, const TensorView& y) const {
    HalfCall call{.to = to, .x = y};
    for (int64_t i = 0; i < kHalfWorkTensors; ++i) call.work[i] = buffer(o, buffers() + i);
    call.series = aligned(o.weights[0].address, weights[0].e, DType::f32);
    call_half_function(program, s.function, s.parameters, call);
  }

  void choose(StreamProgram& program, const Operands& o, const TensorView& to, const TensorView& y,
              Select::Compare compare, const Source& bound, const Source& if_true,
              const Source& if_false) const {
    const Select op{.compare = compare,
                    .out = to,
                    .a = Source::tensor(y),
                    .b = bound,
                    .if_true = if_true,
                    .if_false = if_false,
                    .type = type()};
    if (compare == Select::Compare::equal_value)
      target().choose_if_equal(program, op, work_address(o));
    else
      program.add(op);
  }

  void call(StreamProgram& program, const Operands& o, const ScalarStep& s, const TensorView& to,
            const TensorView& y) const {
    if (is_half_step(s)) return call_half(program, o, s, to, y);
    FloatFunction f{.kind = s.function, .out = to, .a = Source::tensor(y)};
    f.parameters = s.parameters;
    if (s.function == FloatFunction::Kind::pow) f.b = Source::value(s.constant);
    if (s.function == FloatFunction::Kind::div) {
      f.a = Source::value(f32::bits(s.constant), DType::f32);
      f.b = Source::tensor(y);
    }
    call_function(program, f, o.output.e, work_address(o));
  }

  const std::vector<ScalarStep> steps_;
  const DType numbers_;
};

// y = max(x, 0) + slope(c) * min(x, 0)
class Prelu final : public StreamKernel {
 public:
  int64_t scratch_bytes(const Extents& e) const override {
    return local_memory().tensor_bytes(output, e);
  }

  void emit(StreamProgram& program, const Operands& o) const override {
    const TensorView in = in_view(o), out = out_view(o);
    const TensorView scaled = aligned(o.scratch, o.output.e, output.type);
    const Source slope = Source::tensor(per_channel(o.weights[0].address, o.output.e, output.type));
    program.add(
        FloatArithmetic{.kind = Real::mul, .out = scaled, .a = Source::tensor(in), .b = slope});
    program.add(Select{.compare = Select::Compare::greater,
                       .out = out,
                       .a = Source::tensor(in),
                       .b = number(0, output.type),
                       .if_true = Source::tensor(in),
                       .if_false = Source::tensor(scaled),
                       .type = output.type});
  }
};

Kernels steps_kernel(const Layer& layer) {
  std::vector<ScalarStep> steps = scalar_steps(layer.op);
  const bool has_all =
      std::ranges::all_of(steps, [](const ScalarStep& step) { return target().has_step(step); });
  if (steps.empty())
    if (auto composed = composed_function(layer.op)) {
      composed->inputs = {layer.input_like_output(0)};
      composed->output = layer.output();
      spread_if_large(*composed);
      return one(std::move(composed));
    }
  if (steps.empty() || !has_all) {
    const bool named = is(layer.op, Op::function);
    return unsupported(
        layer.op, named ? "function" : "type",
        named ? layer.op.tg_function_param().name() : layer.op.type(),
        fmt::format("the {} has no commands for this function; cut the net before it, and "
                    "compute the rest in your program",
                    chip().name));
  }
  // Layers of an expansion are as exact as their result.
  const bool is_exact = layer.types.exact.contains(layer.op.name());
  const DType numbers = is_exact ? layer.type() : layer.types.floats_of(layer.op.name()).type;
  const bool needs_series =
      is_half(numbers) && std::ranges::any_of(steps, [](const ScalarStep& step) {
        return is_call(step) && has_half_function(step.function);
      });
  auto k = std::make_unique<ScalarFunction>(std::move(steps), numbers);
  k->inputs = {layer.input_like_output(0)};
  k->output = layer.output();
  if (needs_series) k->weights.push_back(lane_table(exponential_series()));
  spread_if_large(*k);
  return one(std::move(k));
}

}  // namespace

Kernels lower_activation(const Layer& layer) { return steps_kernel(layer); }
Kernels lower_function(const Layer& layer) { return steps_kernel(layer); }

// Channels are the second axis of the layer. Views of matrices have rows there.
Kernels lower_prelu(const Layer& layer) {
  auto k = std::make_unique<Prelu>();
  std::vector<float> slopes = layer.blobs()[0].data;
  const TensorShape& shape = layer.op.output_shape(0);
  const std::vector<int64_t> d = dims(shape);
  k->output = layer.output();
  if (slopes.size() != 1)
    k->output = regrouped(k->output, d.size() == 3 ? Extents{d[0], d[1], 1, d[2]} : extents(shape));
  k->inputs = {regrouped(layer.input(0), k->output.e)};
  if (slopes.size() == 1) slopes.resize(static_cast<size_t>(k->output.e.c), slopes[0]);
  k->weights.push_back(channel_weight(slopes, layer.type()));
  return one(std::move(k));
}

}  // namespace tputwin::net::bm1684x
