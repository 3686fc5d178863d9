// Sums, differences, products, quotients, extremes and choices of two operands, one of which may be
// constant. Extents of 1 are repeated.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "bmnet/targets/bm1684x/fp32_steps.h"
#include "bmnet/targets/bm1684x/views.h"
#include "numerics/float16.h"

namespace tputwin::net::bm1684x {
namespace {

using TwoOperands = ::bmnet::TGArithmeticParameter;
using Real = FloatArithmetic::Kind;

class Arithmetic final : public RepeatingKernel {
 public:
  TwoOperands::ArithmeticOp operation = TwoOperands::ADD;
  std::optional<float> constant;  // an operand of one value
  // True if a constant is beyond the result's type, as those of masks are. Then the layer computes
  // in fp32.
  bool is_wide = false;
  bool is_constant_first = false;

  int64_t scratch_bytes(const Extents& e) const override {
    Fp32Steps steps;
    // Operands that are not like the result need the most buffers.
    TensorView a = aligned(0, e, inputs[0].type), b = aligned(0, e, inputs.back().type);
    a.address = b.address = element_bytes(DType::f32);
    compute(steps, aligned(0, e, output.type), Source::tensor(a), Source::tensor(b));
    return steps.used();
  }

  void emit(StreamProgram& program, const Operands& o) const override {
    Fp32Steps steps(program, o.scratch);
    compute(steps, out_view(o), operand(o, 0), operand(o, 1));
  }

 private:
  Real kind() const {
    switch (operation) {
      case TwoOperands::ADD:
        return Real::add;
      case TwoOperands::SUB:
        return Real::sub;
      case TwoOperands::MUL:
        return Real::mul;
      case TwoOperands::MAX:
        return Real::max;
      default:
        return Real::lesser;
    }
  }

  Source operand(const Operands& o, size_t index) const {
    if (!constant) return Source::tensor(repeated_view(o, index));
    if ((index == 0) == is_constant_first) return number(*constant, type());
    return Source::tensor(repeated_view(o, 0));
  }

  DType type() const { return is_wide ? DType::f32 : output.type; }

  void compute(Fp32Steps& steps, const TensorView& result, const Source& first,
               const Source& second) const {
    const TensorView out = type() == result.dtype ? result : steps.buffer(result.shape);
    compute_in(steps, out, first, second);
    if (out != result) steps.store(result, out);
  }

  void compute_in(Fp32Steps& steps, const TensorView& out, const Source& first,
                  const Source& second) const {
    const auto converted = [&](const Source& s) {
      if (s.is_constant || s.view.dtype == out.dtype) return s;
      const TensorView copy = steps.buffer(out.shape, out.dtype);
      steps.store(copy, s.view);
      return Source::tensor(copy);
    };
    const Source a = converted(first), b = converted(second);
    const Source zero = number(0, out.dtype);
    if (operation == TwoOperands::POW) {
      const Source one = number(1, out.dtype);
      return steps.add(Copy{.engine = Engine::compute, .dst = out, .src = one});
    }
    if (operation == TwoOperands::DIV) return divide(steps, out, a, b);
    if (operation == TwoOperands::KEEP) return choose(steps, out, b, a, zero);
    if (operation == TwoOperands::DROP) return choose(steps, out, b, zero, a);
    steps.add(FloatArithmetic{.kind = kind(), .out = out, .a = a, .b = b});
  }

  // The command's operands are in the aligned layout.
  static void choose(Fp32Steps& steps, const TensorView& out, const Source& condition,
                     const Source& if_true, const Source& if_false) {
    const auto whole = [&](const Source& s) {
      return s.is_constant || is_tile(s.view, out) ? s : Source::tensor(copied(steps, s.view));
    };
    const Source a = whole(condition), x = whole(if_true), y = whole(if_false);
    const auto select = [&](Select::Compare compare, const Source& first, const Source& second) {
      steps.add(Select{.compare = compare,
                       .out = out,
                       .a = a,
                       .b = number(0.5f, out.dtype),
                       .if_true = first,
                       .if_false = second,
                       .type = out.dtype});
    };
    if (x.is_constant && y.is_constant) return select(Select::Compare::greater, x, y);
    // Recordings have one constant only for a choice of fp32 that is not taken.
    if (y.is_constant && out.dtype == DType::f32) return select(Select::Compare::less, y, x);
    const auto filled = [&](const Source& s) {
      if (!s.is_constant) return s;
      const TensorView copy = steps.buffer(out.shape, out.dtype);
      steps.add(Copy{.engine = Engine::compute, .dst = copy, .src = s});
      return Source::tensor(copy);
    };
    select(Select::Compare::greater, filled(x), filled(y));
  }
  static bool is_tile(const TensorView& v, const TensorView& out) {
    return v.stride == out.stride && v.address % chip().eu_bytes == 0;
  }
  static TensorView copied(Fp32Steps& steps, const TensorView& v) {
    const TensorView copy = steps.buffer(v.shape, v.dtype);
    steps.store(copy, v);
    return copy;
  }

  // Quotients are fp32.
  static void divide(Fp32Steps& steps, const TensorView& out, const Source& a, const Source& b) {
    const auto wide = [&](const Source& s) {
      if (s.is_constant) return number(float_value(s.constant, s.view.dtype), DType::f32);
      return Source::tensor(steps.widened(s.view));
    };
    const Source x = wide(a), y = wide(b);
    const TensorView to = out.dtype == DType::f32 ? out : steps.buffer(out.shape);
    steps.add(FloatFunction{.kind = FloatFunction::Kind::div, .out = to, .a = x, .b = y});
    if (to != out) steps.store(out, to);
  }
};

using Dims = std::array<int64_t, 4>;

// The axes of a tensor in Caffe's order.
Dims axes_of(const std::vector<int64_t>& shape) {
  Dims d{1, 1, 1, 1};
  for (size_t i = 0; i < shape.size(); ++i) d[std::min<size_t>(i, 3)] *= shape[i];
  return d;
}

// The axes of the result that each axis of a view has.
using Grouping = std::array<std::vector<size_t>, 4>;

Extents grouped(const Dims& y, const Grouping& groups) {
  Dims e{1, 1, 1, 1};
  for (size_t i = 0; i < 4; ++i)
    for (const size_t axis : groups[i]) e[i] *= y[axis];
  return {e[0], e[1], e[2], e[3]};
}

// Returns the steps of an operand of extents `d` along the axes of a view of the result; nullopt if
// a group has axes with and without repetition.
std::optional<ViewSteps> steps_of(const Dims& d, const Dims& y, const Grouping& groups) {
  Dims step{}, view{};
  int64_t run = 1;
  for (size_t axis = 4; axis-- > 0; run *= d[axis]) step[axis] = d[axis] == 1 ? 0 : run;
  for (size_t i = 0; i < 4; ++i) {
    int64_t covered = 1;
    bool is_first = true;
    for (size_t k = groups[i].size(); k-- > 0;) {
      const size_t axis = groups[i][k];
      if (y[axis] == 1) continue;
      if (is_first) view[i] = step[axis];
      if (!is_first && step[axis] != view[i] * covered) return std::nullopt;
      is_first = false;
      covered *= y[axis];
    }
  }
  return ViewSteps{view[0], view[1], view[2], view[3]};
}

constexpr size_t kNoOperand = 2;

// Sets the views of the kernel by the first grouping that suits both operands.
bool set_views(Arithmetic& k, const Layer& layer, const Dims& y,
               const std::array<Dims, 2>& operands, size_t single) {
  static const Grouping kGroupings[] = {{{{0}, {1}, {2}, {3}}},     {{{0}, {1}, {}, {2, 3}}},
                                        {{{}, {0}, {}, {1, 2, 3}}}, {{{0, 1}, {2}, {}, {3}}},
                                        {{{0}, {1, 2}, {}, {3}}},   {{{0}, {1}, {2}, {3}}}};
  const View whole = layer.output();
  const auto fits = [&](const Grouping& g) {
    for (size_t i = 0; i < operands.size(); ++i)
      if (i != single && !steps_of(operands[i], y, g)) return false;
    return true;
  };
  const auto* chosen = std::ranges::find_if(
      kGroupings, [&](const Grouping& g) { return grouped(y, g) == whole.e && fits(g); });
  if (chosen == std::end(kGroupings)) chosen = std::ranges::find_if(kGroupings, fits);
  const Extents e = grouped(y, *chosen);
  k.output = regrouped(whole, e);
  const bool reversed = layer.op.tg_arithmetic_param().reversed();
  for (size_t i = 0; i < operands.size(); ++i) {
    if (i == single) continue;
    const ViewSteps steps = *steps_of(operands[i], y, *chosen);
    const int index = reversed ? 1 - static_cast<int>(i) : static_cast<int>(i);
    if (index == 1 && layer.op.bottom_size() == 1) {
      k.inputs.push_back(add_constant(k, layer, "operand", layer.blobs()[0].data,
                                      k.is_wide ? DType::f32 : layer.type(), e, steps));
      continue;
    }
    const View in = layer.input(index);
    if (operands[i] == y)
      k.inputs.push_back(regrouped(in, e));
    else
      k.inputs.push_back(repeated(in, e, steps));
  }
  return true;
}

// Returns channels from `begin` on of an operand of the kernel's extents. One that is repeated
// along channels stays.
View channels_from(View view, int64_t begin, int64_t count) {
  const bool is_repeated = view.steps && view.steps->c == 0;
  const int64_t step = view.steps ? view.steps->c : view.e.h * view.e.w;
  view.offset += begin * step * element_bytes(view.type);
  view.e.c = is_repeated ? std::min(view.e.c, count) : count;
  return view;
}

// Returns columns from `begin` on. An operand of one column stays: commands repeat it. Samples
// follow each other (regrouped_tensors()).
View columns_from(View view, int64_t begin, int64_t count) {
  if (!view.steps) view.steps = packed_steps(view.e);
  view.offset += begin * view.steps->w * element_bytes(view.type);
  view.e.w = std::min(view.e.w, count);
  return view;
}

// Divides the kernel in halves of its channels or columns until one row of a part fits a lane and
// the operands of commands.
void add_parts(std::unique_ptr<Arithmetic> k, std::vector<KernelPtr>& parts) {
  const Extents& e = k->output.e;
  const auto half = [](int64_t count) { return align_up_to(ceil_div(count, 2), chip().lanes); };
  const bool by_channels = e.c > chip().lanes;
  const bool by_columns = !by_channels && e.w > chip().lanes;
  if (fits_lane(*k, 1) || !(by_channels || by_columns)) return parts.push_back(std::move(k));
  const int64_t all = by_channels ? e.c : e.w;
  const auto from = by_channels ? channels_from : columns_from;
  // One part has the constants, which all read.
  std::vector<StreamKernel::Constant> constants = std::exchange(k->constants, {});
  for (const Span s : {Span{0, half(all)}, Span{half(all), all}}) {
    auto part = std::make_unique<Arithmetic>(*k);
    part->constants = std::exchange(constants, {});
    part->output = from(k->output, s.begin, s.count());
    for (View& in : part->inputs) in = from(in, s.begin, s.count());
    add_parts(std::move(part), parts);
  }
}

// True for powers that are 1: those of 1, and those with exponent 0.
bool is_power_of_one(const Layer& layer) {
  if (layer.op.bottom_size() == 2) return false;
  const float wanted = layer.op.tg_arithmetic_param().reversed() ? 1 : 0;
  return std::ranges::all_of(layer.blobs()[0].data, [&](float x) { return x == wanted; });
}

}  // namespace

Kernels lower_arithmetic(const Layer& layer) {
  const auto& param = layer.op.tg_arithmetic_param();
  if (param.operation() == TwoOperands::POW && !is_power_of_one(layer))
    return unsupported(
        layer.op, "operation", "power",
        fmt::format("the {} has no commands for powers of two tensors", chip().name));
  const Dims y = axes_of(dims(layer.op.output_shape(0)));
  const bool is_b_constant = layer.op.bottom_size() == 1;
  std::array<Dims, 2> operands;
  operands[0] = axes_of(dims(layer.op.input_shape(0)));
  operands[1] = axes_of(dims(is_b_constant ? param.b_shape() : layer.op.input_shape(1)));
  if (param.reversed()) std::swap(operands[0], operands[1]);
  auto k = std::make_unique<Arithmetic>();
  k->operation = param.operation();
  const size_t b = param.reversed() ? 0 : 1;
  size_t single = kNoOperand;
  const std::vector<float>* values = is_b_constant ? &layer.blobs()[0].data : nullptr;
  const bool chooses =
      param.operation() == TwoOperands::KEEP || param.operation() == TwoOperands::DROP;
  // A condition is a tensor.
  if (values != nullptr && !(chooses && b == 1) &&
      std::ranges::all_of(*values, [&](float v) { return v == values->front(); })) {
    single = b;
    k->constant = values->front();
    k->is_constant_first = b == 0;
  }
  k->is_wide = values != nullptr && std::ranges::any_of(*values, [&](float v) {
                 return std::isfinite(v) && !std::isfinite(round_to(v, layer.type()));
               });
  set_views(*k, layer, y, operands, single);
  // An operand that is repeated along few channels has the extents of the result, too.
  const bool is_whole = std::ranges::all_of(k->inputs, [&](const View& in) {
    return in.e == k->output.e && (!in.steps || in.steps == packed_steps(in.e));
  });
  if (is_whole && k->constants.empty()) spread_if_large(*k);
  std::vector<KernelPtr> parts;
  add_parts(std::move(k), parts);
  return parts;
}

}  // namespace tputwin::net::bm1684x
