// Layer normalizations of several layers.
#include "bmnet/targets/bm1684x/axis/join_norms.h"

#include <algorithm>
#include <optional>

#include "bmnet/targets/bm1684x/lower.h"

namespace tputwin::net::bm1684x {
namespace {

using TwoOperands = ::bmnet::TGArithmeticParameter;

class Joiner {
 public:
  explicit Joiner(Network& network) : network_(network), outputs_(network.outputs()) {}

  void run() {
    for (size_t i = 0; i < network_.ops.size(); ++i)
      if (const auto norm = matched(network_.ops[i])) replace(i, *norm);
    remove_unread();
  }

 private:
  struct Norm {
    std::string x;
    float eps = 0;
    bool is_centered = true;
  };

  // ---- Steps back through the net ----

  const TensorOp* producer(const std::string& tensor) const { return network_.producer(tensor); }
  // Skips layers that only give another shape.
  const TensorOp* behind_views(const std::string& tensor) const {
    const TensorOp* op = producer(tensor);
    while (op != nullptr && is(*op, Op::reshape)) op = producer(op->bottom(0));
    return op;
  }
  // Returns the layer that makes an operand with one value for each row of the result; nullptr if
  // the operand is repeated along other axes than the last one.
  const TensorOp* behind_rows(const TensorOp& op, int operand) const {
    const std::vector<int64_t> result = dims(op.output_shape(0));
    std::vector<int64_t> rows = result;
    rows.back() = 1;
    const auto aligned = [&](const TensorShape& shape) {
      std::vector<int64_t> d = dims(shape);
      while (d.size() < result.size()) d.insert(d.begin(), 1);
      return d;
    };
    const std::vector<int64_t> own = aligned(op.input_shape(operand));
    if (own == rows) {
      const TensorOp* const found = behind_views(op.bottom(operand));
      return found != nullptr && is(*found, Op::tile) ? nullptr : found;
    }
    const TensorOp* const tile = producer(op.bottom(operand));
    if (own != result || tile == nullptr || !is(*tile, Op::tile) ||
        aligned(tile->input_shape(0)) != rows)
      return nullptr;
    return behind_views(tile->bottom(0));
  }
  std::string behind_reshapes(std::string tensor) const {
    for (const TensorOp* op = producer(tensor); op != nullptr && is(*op, Op::reshape);
         op = producer(tensor))
      tensor = op->bottom(0);
    return tensor;
  }

  static bool is_arithmetic(const TensorOp& op, TwoOperands::ArithmeticOp kind) {
    return is(op, Op::arithmetic) && op.tg_arithmetic_param().operation() == kind &&
           !op.tg_arithmetic_param().reversed();
  }
  static int64_t last_extent(const TensorShape& shape) { return dims(shape).back(); }

  // Returns the tensor of which `tensor` is the mean over the last axis, which has `length` values.
  std::optional<std::string> mean_of(const TensorOp* op, int64_t length) const {
    if (op == nullptr || !is(*op, Op::reduction)) return std::nullopt;
    const auto& p = op->tg_reduction_param();
    const std::vector<int64_t> shape = dims(op->input_shape(0));
    const auto rank = static_cast<int>(shape.size());
    const int axis = p.axis() < 0 ? p.axis() + rank : p.axis();
    if (p.operation() != ::bmnet::TGReductionParameter::MEAN || p.coeff() != 1 ||
        axis != rank - 1 || shape.back() != length)
      return std::nullopt;
    return behind_reshapes(op->bottom(0));
  }

  // Returns x if `op` is x - mean(x).
  std::optional<std::string> centered(const TensorOp* op) const {
    if (op == nullptr || op->bottom_size() != 2) return std::nullopt;
    const auto& p = op->tg_eltwise_param();
    const bool is_difference = is(*op, Op::eltwise)
                                   ? p.operation() == ::bmnet::TGEltwiseParameter::SUM &&
                                         p.coeff_size() == 2 && p.coeff(0) == 1 &&
                                         p.coeff(1) == -1 && !p.do_activation()
                                   : is_arithmetic(*op, TwoOperands::SUB);
    if (!is_difference) return std::nullopt;
    const std::string x = behind_reshapes(op->bottom(0));
    const auto of = mean_of(behind_rows(*op, 1), last_extent(op->output_shape(0)));
    return of == x ? std::optional(x) : std::nullopt;
  }

  static bool multiplies(const TensorOp& op) {
    return (is(op, Op::eltwise) &&
            op.tg_eltwise_param().operation() == ::bmnet::TGEltwiseParameter::PROD &&
            !op.tg_eltwise_param().do_activation()) ||
           is_arithmetic(op, TwoOperands::MUL);
  }

  // Returns true if `op` is the square of the tensor.
  bool is_square(const TensorOp* op, const std::string& tensor) const {
    if (op == nullptr) return false;
    const auto& power = op->tg_power_param();
    if (is(*op, Op::power))
      return power.power() == 2 && power.scale() == 1 && power.shift() == 0 &&
             behind_reshapes(op->bottom(0)) == tensor;
    return multiplies(*op) && op->bottom_size() == 2 && behind_reshapes(op->bottom(0)) == tensor &&
           behind_reshapes(op->bottom(1)) == tensor;
  }

  // Returns the number that `op` adds to all values, if it does nothing else before the power.
  std::optional<float> summand_of(const TensorOp& op, float power) const {
    const auto& p = op.tg_power_param();
    if (is(op, Op::power) && p.scale() == 1 && p.power() == power) return p.shift();
    const auto blobs = network_.blobs.find(op.name());
    if (!is(op, Op::scale) || power != 1 || op.tg_scale_param().do_activation() ||
        blobs == network_.blobs.end() || blobs->second.size() != 2)
      return std::nullopt;
    const std::vector<float>&factors = blobs->second[0].data, &addends = blobs->second[1].data;
    const bool is_sum = std::ranges::all_of(factors, [](float f) { return f == 1; }) &&
                        std::ranges::all_of(addends, [&](float a) { return a == addends[0]; });
    return is_sum ? std::optional(addends[0]) : std::nullopt;
  }

  // Returns the summand if `op` is the root of a mean of squares and a summand.
  std::optional<float> root_of_squares(const TensorOp* op, const std::string& tensor,
                                       int64_t length) const {
    if (op == nullptr) return std::nullopt;
    const bool is_function = is(*op, Op::function) && op->tg_function_param().name() == "sqrt";
    const TensorOp* sum = is_function ? behind_views(op->bottom(0)) : op;
    const auto eps = sum == nullptr ? std::nullopt : summand_of(*sum, is_function ? 1.0f : 0.5f);
    if (!eps) return std::nullopt;
    const auto squares = mean_of(behind_views(sum->bottom(0)), length);
    return squares && is_square(producer(*squares), tensor) ? eps : std::nullopt;
  }

  // Returns the summand if `op` is 1 divided by that root.
  std::optional<float> inverse_root(const TensorOp* op, const std::string& tensor,
                                    int64_t length) const {
    if (op == nullptr || !is(*op, Op::power)) return std::nullopt;
    const auto& p = op->tg_power_param();
    if (p.power() == -1 && p.scale() == 1 && p.shift() == 0)
      return root_of_squares(behind_views(op->bottom(0)), tensor, length);
    const auto eps = summand_of(*op, -0.5f);
    if (!eps) return std::nullopt;
    const auto squares = mean_of(behind_views(op->bottom(0)), length);
    return squares && is_square(producer(*squares), tensor) ? eps : std::nullopt;
  }

  // Returns the norm if `op` divides a tensor, or what is left of it without its mean, by the root.
  std::optional<Norm> divided(const TensorOp& op) const {
    if (!is_arithmetic(op, TwoOperands::DIV) || op.bottom_size() != 2) return std::nullopt;
    const std::string above = behind_reshapes(op.bottom(0));
    const auto eps = root_of_squares(behind_rows(op, 1), above, last_extent(op.output_shape(0)));
    if (!eps) return std::nullopt;
    const auto x = centered(producer(above));
    return Norm{x.value_or(above), *eps, x.has_value()};
  }

  // Returns the norm if `op` multiplies them by 1 divided by the root.
  std::optional<Norm> multiplied(const TensorOp& op) const {
    if (!multiplies(op) || op.bottom_size() != 2) return std::nullopt;
    for (const int i : {0, 1}) {
      const std::string factor = behind_reshapes(op.bottom(i));
      const auto eps =
          inverse_root(behind_rows(op, 1 - i), factor, last_extent(op.output_shape(0)));
      if (!eps) continue;
      const auto x = centered(producer(factor));
      return Norm{x.value_or(factor), *eps, x.has_value()};
    }
    return std::nullopt;
  }

  std::optional<Norm> matched(const TensorOp& op) const {
    if (op.output_shape_size() != 1) return std::nullopt;
    std::optional<Norm> norm = divided(op);
    if (!norm) norm = multiplied(op);
    if (!norm || dims(op.output_shape(0)) != dims(*network_.shape_of(norm->x))) return std::nullopt;
    return norm;
  }

  // ---- Replacement ----

  bool is_output(const std::string& tensor) const {
    return std::ranges::find(outputs_, tensor) != outputs_.end();
  }
  size_t readers(const std::string& tensor) const {
    size_t n = 0;
    for (const TensorOp& op : network_.ops)
      n += static_cast<size_t>(std::ranges::count(op.bottom(), tensor));
    return n;
  }

  // Returns the constants of the last axis that the next layer multiplies or adds, and takes this
  // layer out of the net.
  std::optional<Blob> take_constants(std::string& top, TwoOperands::ArithmeticOp kind,
                                     int64_t length) {
    if (is_output(top) || readers(top) != 1) return std::nullopt;
    const auto next = std::ranges::find_if(network_.ops, [&](const TensorOp& op) {
      return is_arithmetic(op, kind) && op.bottom_size() == 1 && op.bottom(0) == top;
    });
    if (next == network_.ops.end()) return std::nullopt;
    const TensorShape& shape = next->tg_arithmetic_param().b_shape();
    const auto blobs = network_.blobs.find(next->name());
    if (blobs == network_.blobs.end() || count(shape) != length || last_extent(shape) != length ||
        dims(next->output_shape(0)) != dims(next->input_shape(0)))
      return std::nullopt;
    Blob constants{{length}, std::move(blobs->second[0].data)};
    top = next->top(0);
    name_ = next->name();
    network_.blobs.erase(blobs);
    network_.ops.erase(next);
    return constants;
  }

  void replace(size_t index, const Norm& norm) {
    std::string top = network_.ops[index].top(0);
    const int64_t length = last_extent(network_.ops[index].output_shape(0));
    name_ = network_.ops[index].name();
    const auto filled = [&](float value) {
      return Blob{{length}, std::vector<float>(static_cast<size_t>(length), value)};
    };
    auto factor = take_constants(top, TwoOperands::MUL, length);
    auto offset = take_constants(top, TwoOperands::ADD, length);
    if (factor || offset)
      network_.blobs[name_] = {factor ? std::move(*factor) : filled(1),
                               offset ? std::move(*offset) : filled(0)};
    put_layers(index, norm, top);
  }

  // Puts the layer, which works on a matrix, in the place of another. A matrix of few rows, and
  // tensors of several samples, are viewed otherwise: they need a reshape before and after it.
  void put_layers(size_t index, const Norm& norm, const std::string& top) {
    const TensorShape shape = network_.ops[index].output_shape(0);
    const int64_t length = last_extent(shape), rows = count(shape) / length;
    const std::vector<int64_t> extents = dims(shape);
    const bool is_matrix =
        extents.size() == 2 || (extents.size() == 3 && extents[0] == 1 && rows > kFewRows);
    const TensorShape matrix = make_shape({rows, length});
    const std::string from = is_matrix ? norm.x : name_ + "/rows";
    const std::string to = is_matrix ? top : name_ + "/standardized";
    std::vector<TensorOp> made;
    if (!is_matrix) made.push_back(layer(Op::reshape, from, {norm.x, from}, shape, matrix));
    made.push_back(layer(Op::standardize, name_, {from, to}, matrix, matrix));
    made.back().mutable_tg_standardize_param()->set_axis(1);
    made.back().mutable_tg_standardize_param()->set_eps(norm.eps);
    made.back().mutable_tg_standardize_param()->set_centered(norm.is_centered);
    if (!is_matrix) made.push_back(layer(Op::reshape, name_ + "/result", {to, top}, matrix, shape));
    std::vector<TensorOp>& ops = network_.ops;
    const auto at = ops.erase(ops.begin() + static_cast<ptrdiff_t>(index));
    ops.insert(at, made.begin(), made.end());
  }

  struct Ends {
    std::string from, to;
  };
  static TensorOp layer(Op kind, const std::string& name, const Ends& ends, const TensorShape& in,
                        const TensorShape& out) {
    TensorOp op;
    op.set_name(name);
    set_type(op, kind);
    op.add_bottom(ends.from);
    op.add_top(ends.to);
    *op.add_input_shape() = in;
    *op.add_output_shape() = out;
    return op;
  }

  void remove_unread() {
    for (size_t i = network_.ops.size(); i-- > 0;) {
      const TensorOp& op = network_.ops[i];
      const bool is_part = is(op, Op::reshape) || is(op, Op::tile) || is(op, Op::reduction) ||
                           is(op, Op::power) || is(op, Op::scale) || is(op, Op::function) ||
                           is(op, Op::eltwise) || is(op, Op::arithmetic);
      if (!is_part || readers(op.top(0)) != 0) continue;
      network_.blobs.erase(op.name());
      network_.ops.erase(network_.ops.begin() + static_cast<ptrdiff_t>(i));
    }
  }

  Network& network_;
  const std::vector<std::string> outputs_;
  std::string name_;
};

}  // namespace

void join_norms(Network& network) { Joiner(network).run(); }

}  // namespace tputwin::net::bm1684x
