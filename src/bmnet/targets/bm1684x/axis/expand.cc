// Layers that become several.
#include "bmnet/targets/bm1684x/axis/expand.h"

#include "bmnet/targets/bm1684x/axis/axis_kernel.h"
#include "bmnet/targets/bm1684x/functions/divided_gate.h"

namespace tputwin::net::bm1684x {
namespace {

using TwoOperands = ::bmnet::TGArithmeticParameter;
using Reducing = ::bmnet::TGReductionParameter;
using AxisExtents = std::vector<int64_t>;

// The longest axes whose layer is one kernel: values in fp32 that fit a lane with their buffers.
constexpr int64_t kLongestReduction = 12288, kLongestAxis = 6656;
// The longest axis with others after it: a column for each of them.
constexpr int64_t kLongestColumn = 2816;

class Expansion {
 public:
  Expansion(Network& network, Types& types) : network_(network), types_(types) {}

  void run() {
    std::vector<TensorOp> all = std::move(network_.ops);
    network_.ops.clear();
    for (TensorOp& op : all) expand(std::move(op));
  }

 private:
  void expand(TensorOp op) {
    if (is(op, Op::softmax)) return softmax(std::move(op));
    if (is(op, Op::standardize)) return standardize(std::move(op));
    if (is(op, Op::norm)) return norm(std::move(op));
    if (is(op, Op::reduction)) return reduction(std::move(op));
    if (is(op, Op::scale) && op.input_shape(0).dim_size() == 2) return scale(std::move(op));
    if (must_divide(op) && (!types_.has_bytes || target().packing() != nullptr)) return gate(op);
    if (is_half(types_.floats_of(op.name()).type) && types_.is_float(op.name()) &&
        is_mean_of_planes(op))
      return mean(std::move(op));
    network_.ops.push_back(std::move(op));
  }

  // Begins a layer after `op`. Its result is fp32 if it is not that of `op`.
  TensorOp begin(const TensorOp& op, Op kind, const std::string& name, const AxisExtents& result) {
    TensorOp made;
    made.set_name(op.name() + "/" + name);
    set_type(made, kind);
    made.add_top(made.name());
    *made.add_output_shape() = make_shape(result);
    types_.others[made.name()] = {};
    types_.exact.insert(made.name());
    return made;
  }
  static void add_input(TensorOp& op, const std::string& tensor, const AxisExtents& shape) {
    op.add_bottom(tensor);
    *op.add_input_shape() = make_shape(shape);
  }
  // Appends a layer and returns its result.
  std::string append(TensorOp op) {
    std::string top = op.top(0);
    network_.ops.push_back(std::move(op));
    return top;
  }
  // Gives the last layer the result of `op`.
  void finish(const TensorOp& op) {
    TensorOp& last = network_.ops.back();
    types_.others.erase(last.top(0));
    if (const auto own = types_.others.find(op.top(0)); own != types_.others.end())
      types_.others[op.top(0)] = own->second;
    last.set_top(0, op.top(0));
  }

  // ---- Parts ----

  std::string reduce(const TensorOp& op, const std::string& name, const std::string& from,
                     const AxisExtents& shape, int axis, Reducing::ReductionOp kind, float factor) {
    TensorOp made =
        begin(op, Op::reduction, name, AxisExtents(shape.begin(), shape.begin() + axis));
    add_input(made, from, shape);
    auto& p = *made.mutable_tg_reduction_param();
    p.set_axis(axis);
    p.set_operation(kind);
    p.set_coeff(factor);
    std::string top = made.top(0);
    reduction(std::move(made));
    return top;
  }

  // Gives a reduced tensor extents of 1 in place of the axes that it lacks.
  std::string keep_axes(const TensorOp& op, const std::string& name, const std::string& from,
                        const AxisExtents& shape, int axis) {
    TensorOp made = begin(op, Op::reshape, name, kept(shape, axis));
    add_input(made, from, AxisExtents(shape.begin(), shape.begin() + axis));
    return append(std::move(made));
  }
  static AxisExtents kept(AxisExtents shape, int axis) {
    std::fill(shape.begin() + axis, shape.end(), 1);
    return shape;
  }

  std::string combine(const TensorOp& op, const std::string& name, TwoOperands::ArithmeticOp kind,
                      const std::string& a, const AxisExtents& shape, const std::string& b,
                      const AxisExtents& other) {
    TensorOp made = begin(op, Op::arithmetic, name, shape);
    made.mutable_tg_arithmetic_param()->set_operation(kind);
    add_input(made, a, shape);
    add_input(made, b, other);
    return append(std::move(made));
  }
  std::string combine(const TensorOp& op, const std::string& name, TwoOperands::ArithmeticOp kind,
                      const std::string& a, const AxisExtents& shape, Blob constants) {
    TensorOp made = begin(op, Op::arithmetic, name, shape);
    made.mutable_tg_arithmetic_param()->set_operation(kind);
    *made.mutable_tg_arithmetic_param()->mutable_b_shape() = make_shape(constants.shape);
    add_input(made, a, shape);
    network_.blobs[made.name()] = {std::move(constants)};
    return append(std::move(made));
  }

  // Returns (x + eps)^-0.5.
  std::string inverse_root(const TensorOp& op, const std::string& x, const AxisExtents& shape,
                           float eps) {
    TensorOp made = begin(op, Op::power, "inverse root", shape);
    add_input(made, x, shape);
    made.mutable_tg_power_param()->set_power(-0.5f);
    made.mutable_tg_power_param()->set_shift(eps);
    return append(std::move(made));
  }

  std::vector<Blob> take_blobs(const TensorOp& op) {
    const auto found = network_.blobs.find(op.name());
    if (found == network_.blobs.end()) return {};
    std::vector<Blob> blobs = std::move(found->second);
    network_.blobs.erase(found);
    return blobs;
  }
  static int axis_of(int axis, const AxisExtents& shape) {
    return axis < 0 ? axis + static_cast<int>(shape.size()) : axis;
  }

  // ---- Layers ----

  void gate(const TensorOp& op) {
    std::vector<TensorOp> parts = divided_gate(op);
    for (TensorOp& part : parts) {
      if (part.top(0) != op.top(0)) types_.others[part.top(0)] = {};
      types_.exact.insert(part.name());
      network_.ops.push_back(std::move(part));
    }
  }

  // Sums two tensors, one of which has the shape of the result.
  void softmax(TensorOp op) {
    const AxisExtents shape = dims(op.input_shape(0));
    std::string x = op.bottom(0);
    if (op.bottom_size() > 1) {
      x = combine(op, "sum", TwoOperands::ADD, x, shape, op.bottom(1), dims(op.input_shape(1)));
      types_.others.erase(x);
    }
    if (std::vector<Blob> blobs = take_blobs(op); !blobs.empty()) {
      blobs[0].shape = dims(op.tg_softmax_param().addend_shape());
      x = combine(op, "sum with constants", TwoOperands::ADD, x, shape, std::move(blobs[0]));
      types_.others.erase(x);
    }
    op.clear_bottom();
    op.clear_input_shape();
    add_input(op, x, shape);
    op.mutable_tg_softmax_param()->clear_addend_shape();
    const AxisShape around_axis = around(op.input_shape(0), op.tg_softmax_param().axis(), false);
    if (around_axis.inner == 1 && around_axis.extent > kLongestAxis)
      return long_softmax(op, x, shape);
    if (around_axis.inner != 1 && around_axis.extent > kLongestColumn)
      return softmax_of_columns(op, x, around_axis);
    network_.ops.push_back(std::move(op));
  }

  // Moves elements to a tensor of the type of the net.
  std::string move(const TensorOp& op, Op kind, const std::string& name, const std::string& x,
                   const AxisExtents& from, const AxisExtents& to) {
    TensorOp made = begin(op, kind, name, to);
    if (kind == Op::permute)
      for (const uint32_t axis : {0, 2, 1, 3}) made.mutable_tg_permute_param()->add_order(axis);
    add_input(made, x, from);
    types_.others.erase(made.top(0));
    return append(std::move(made));
  }

  // Makes the axis the last one, and moves it back.
  void softmax_of_columns(TensorOp op, std::string x, const AxisShape& s) {
    const AxisExtents shape = dims(op.input_shape(0));
    const AxisExtents planes{s.outer, s.extent, s.inner, 1}, turned{s.outer, s.inner, s.extent, 1};
    const AxisExtents rows{s.outer * s.inner, s.extent};
    x = move(op, Op::reshape, "as planes", x, shape, planes);
    x = move(op, Op::permute, "axis last", x, planes, turned);
    x = move(op, Op::reshape, "as rows", x, turned, rows);
    TensorOp made = begin(op, Op::softmax, "of rows", rows);
    made.mutable_tg_softmax_param()->set_axis(1);
    made.mutable_tg_softmax_param()->set_log(op.tg_softmax_param().log());
    add_input(made, x, rows);
    types_.others.erase(made.top(0));
    x = made.top(0);
    softmax(std::move(made));
    x = move(op, Op::reshape, "of planes", x, rows, turned);
    x = move(op, Op::permute, "axis back", x, turned, planes);
    move(op, Op::reshape, "as before", x, planes, shape);
    finish(op);
  }

  // log softmax = x - log(sum of e^x), over the last axis
  void long_softmax(const TensorOp& op, const std::string& x, const AxisExtents& shape) {
    const int axis = axis_of(op.tg_softmax_param().axis(), shape);
    std::string sum = reduce(op, "log of sum", x, shape, axis, Reducing::LOG_SUM_EXP, 1);
    sum = keep_axes(op, "log of sums", sum, shape, axis);
    const std::string log = combine(op, "log", TwoOperands::SUB, x, shape, sum, kept(shape, axis));
    if (!op.tg_softmax_param().log()) {
      TensorOp made = begin(op, Op::function, "exponential", shape);
      made.mutable_tg_function_param()->set_name("exp");
      add_input(made, log, shape);
      append(std::move(made));
    }
    finish(op);
  }

  void standardize(TensorOp op) {
    const auto& p = op.tg_standardize_param();
    const AxisExtents shape = dims(op.input_shape(0));
    const int axis = p.per_channel() ? 0 : axis_of(p.axis(), shape);
    const AxisShape all = around(op.input_shape(0), axis, true);
    if (p.per_channel() && all.extent / shape[1] > kLongestAxis) return by_channels(op, shape);
    if (p.per_channel() || all.extent <= kLongestAxis) {
      network_.ops.push_back(std::move(op));
      return;
    }
    std::string x = op.bottom(0);
    if (p.centered()) {
      std::string mean = reduce(op, "mean", x, shape, axis, Reducing::MEAN, 1);
      mean = keep_axes(op, "means", mean, shape, axis);
      x = combine(op, "centered", TwoOperands::SUB, x, shape, mean, kept(shape, axis));
    }
    x = scaled(op, x, shape, axis, 1 / static_cast<float>(all.extent), p.eps());
    std::vector<Blob> blobs = take_blobs(op);
    if (blobs.size() == 2) {
      AxisExtents constants(shape.size(), 1);
      const bool per_element =
          axis == 1 && static_cast<int64_t>(blobs[0].data.size()) == all.extent;
      for (size_t i = 1; i < shape.size(); ++i)
        if (per_element || i == 1) constants[i] = shape[i];
      blobs[0].shape = blobs[1].shape = constants;
      x = combine(op, "times factor", TwoOperands::MUL, x, shape, std::move(blobs[0]));
      combine(op, "plus offset", TwoOperands::ADD, x, shape, std::move(blobs[1]));
    }
    finish(op);
  }

  // x / sqrt(factor * sum of squares + eps)
  std::string scaled(const TensorOp& op, const std::string& x, const AxisExtents& shape, int axis,
                     float factor, float eps) {
    std::string sum = reduce(op, "squares", x, shape, axis, Reducing::SUMSQ, factor);
    sum = keep_axes(op, "sums of squares", sum, shape, axis);
    const AxisExtents few = kept(shape, axis);
    const std::string root = inverse_root(op, sum, few, eps);
    return combine(op, "scaled", TwoOperands::MUL, x, shape, root, few);
  }

  // Mean and variance over all axes but axis 1, which is moved to the front.
  void by_channels(const TensorOp& op, const AxisExtents& shape) {
    AxisExtents swapped = shape;
    std::swap(swapped[0], swapped[1]);
    const auto swap = [&](const std::string& name, const std::string& x, const AxisExtents& from,
                          const AxisExtents& to) {
      TensorOp made = begin(op, Op::permute, name, to);
      for (uint32_t i = 0; i < shape.size(); ++i)
        made.mutable_tg_permute_param()->add_order(i == 0 ? 1 : i == 1 ? 0 : i);
      add_input(made, x, from);
      types_.others.erase(made.top(0));
      return append(std::move(made));
    };
    const std::string x = swap("channels first", op.bottom(0), shape, swapped);
    TensorOp made = begin(op, Op::standardize, "standardized", swapped);
    made.mutable_tg_standardize_param()->set_axis(1);
    made.mutable_tg_standardize_param()->set_eps(op.tg_standardize_param().eps());
    add_input(made, x, swapped);
    const std::string y = made.top(0);
    types_.others.erase(y);
    standardize(std::move(made));
    swap("samples first", y, swapped, shape);
    finish(op);
  }

  void norm(TensorOp op) {
    const auto& p = op.tg_norm_param();
    const AxisExtents shape = dims(op.input_shape(0));
    const int64_t elements = count(op.input_shape(0)) / shape[0];
    const bool is_whole = p.across_spatial() || elements == shape[1];
    if (!is_whole || elements <= kLongestAxis) {
      network_.ops.push_back(std::move(op));
      return;
    }
    const std::string x = scaled(op, op.bottom(0), shape, 1, 1, p.eps());
    std::vector<Blob> blobs = take_blobs(op);
    Blob scale{{}, {p.scale().begin(), p.scale().end()}};
    if (!blobs.empty()) scale.data = std::move(blobs[0].data);
    if (scale.data.empty()) scale.data = {1.0f};
    if (p.channel_shared()) scale.data.assign(static_cast<size_t>(shape[1]), scale.data[0]);
    scale.shape.assign(shape.size(), 1);
    scale.shape[1] = shape[1];
    combine(op, "times scale", TwoOperands::MUL, x, shape, std::move(scale));
    finish(op);
  }

  // The columns of a matrix are no channels: rows are.
  void scale(TensorOp op) {
    const AxisExtents shape = dims(op.input_shape(0));
    const auto& p = op.tg_scale_param();
    if (shape[0] <= kFewRows) {
      network_.ops.push_back(std::move(op));
      return;
    }
    std::vector<Blob> blobs = take_blobs(op);
    for (Blob& blob : blobs) blob.shape = {1, static_cast<int64_t>(blob.data.size())};
    const std::string x =
        combine(op, "times factor", TwoOperands::MUL, op.bottom(0), shape, std::move(blobs[0]));
    const std::string y =
        p.bias_term() ? combine(op, "plus offset", TwoOperands::ADD, x, shape, std::move(blobs[1]))
                      : x;
    if (p.do_activation()) {
      TensorOp made = begin(op, Op::activation, "activated", shape);
      add_input(made, y, shape);
      append(std::move(made));
    }
    finish(op);
  }

  static bool is_mean_of_planes(const TensorOp& op) {
    if (!is(op, Op::pooling) || op.tg_pooling_param().pool() != ::bmnet::TGPoolingParameter::AVE)
      return false;
    const Window2d w = pooling_window(op);
    const Extents in = extents(op.input_shape(0));
    const bool is_padded = w.pad_top + w.pad_bottom + w.pad_left + w.pad_right != 0;
    return !is_padded && w.kernel_h == in.h && w.kernel_w == in.w && in.h * in.w > 1;
  }

  // Averages of windows round every sum to the type of 16 bits; reductions are fp32.
  void mean(TensorOp op) {
    op.clear_tg_pooling_param();
    set_type(op, Op::reduction);
    op.mutable_tg_reduction_param()->set_axis(2);
    op.mutable_tg_reduction_param()->set_operation(Reducing::MEAN);
    reduction(std::move(op));
  }

  // Folds chunks, then their results.
  void reduction(TensorOp op) {
    const auto& p = op.tg_reduction_param();
    const AxisShape shape = around(op.input_shape(0), p.axis(), true);
    const bool is_exponential = p.operation() == Reducing::LOG_SUM_EXP;
    if (shape.extent <= (is_exponential ? kLongestAxis : kLongestReduction)) {
      network_.ops.push_back(std::move(op));
      return;
    }
    const AxisChunks chunks = chunks_of(shape.extent);
    TensorOp first = begin(op, Op::reduction, "chunks", {shape.outer, chunks.count});
    add_input(first, op.bottom(0), dims(op.input_shape(0)));
    auto& q = *first.mutable_tg_reduction_param();
    q.set_axis(p.axis());
    const Reducing::ReductionOp kind = p.operation();
    q.set_operation(first_stage(kind));
    const std::string parts = append(std::move(first));
    op.clear_bottom();
    op.clear_input_shape();
    add_input(op, parts, {shape.outer, chunks.count});
    auto& second = *op.mutable_tg_reduction_param();
    second.set_axis(1);
    second.set_operation(second_stage(kind));
    if (kind == Reducing::MEAN) second.set_coeff(p.coeff() / static_cast<float>(shape.extent));
    network_.ops.push_back(std::move(op));
  }
  static Reducing::ReductionOp first_stage(Reducing::ReductionOp kind) {
    return kind == Reducing::MEAN || kind == Reducing::LOG_SUM ? Reducing::SUM : kind;
  }
  static Reducing::ReductionOp second_stage(Reducing::ReductionOp kind) {
    const bool is_sum = kind == Reducing::MEAN || kind == Reducing::ASUM || kind == Reducing::SUMSQ;
    return is_sum ? Reducing::SUM : kind;
  }

  Network& network_;
  Types& types_;
};

}  // namespace

void expand_layers(Network& network, Types& types) { Expansion(network, types).run(); }

AxisChunks chunks_of(int64_t extent) {
  const int64_t few = 16, most = 4096;
  const int64_t length = std::clamp(ceil_div(extent, chip().lanes), few, most);
  return {length, ceil_div(extent, length)};
}

}  // namespace tputwin::net::bm1684x
