// Rewriting of a float net so that more layers can follow each other in local memory.
#include "bmnet/targets/bm1684x/simplify.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "bmnet/lowering/moves.h"
#include "bmnet/targets/bm1684x/lower.h"
#include "bmnet/targets/bm1684x/subnets/host_layers.h"

namespace tputwin::net::bm1684x {
namespace {

using TwoOperands = ::bmnet::TGArithmeticParameter;

bool is_unary(const TensorOp& op) {
  return is(op, Op::activation) || is(op, Op::function) || is(op, Op::power) || is(op, Op::clip);
}

// Returns the operation of a layer that computes one for each element of two tensors.
std::optional<TwoOperands::ArithmeticOp> operation_of(const TensorOp& op) {
  if (op.bottom_size() != 2) return std::nullopt;
  if (is(op, Op::arithmetic)) return op.tg_arithmetic_param().operation();
  using Parameter = ::bmnet::TGEltwiseParameter;
  const auto& p = op.tg_eltwise_param();
  if (!is(op, Op::eltwise) || p.do_activation()) return std::nullopt;
  if (p.operation() == Parameter::PROD) return TwoOperands::MUL;
  if (p.operation() == Parameter::MAX) return TwoOperands::MAX;
  if (p.coeff_size() > 0 && p.coeff(0) != 1) return std::nullopt;
  const float second = p.coeff_size() > 1 ? p.coeff(1) : 1;
  if (second == 1) return TwoOperands::ADD;
  return second == -1 ? std::optional(TwoOperands::SUB) : std::nullopt;
}

// Returns true if the layer repeats only axes of one value.
bool repeats_values(const TensorOp& op) {
  if (!is(op, Op::tile)) return false;
  const std::vector<int64_t> from = dims(op.input_shape(0)), to = dims(op.output_shape(0));
  for (size_t i = 0; i < from.size(); ++i)
    if (from[i] != 1 && from[i] != to[i]) return false;
  return from.size() == to.size() && from.size() <= 4;
}

// Returns true if a move has the elements of its source, so many, in their order.
bool keeps_order(const Move& move, int64_t elements) {
  int64_t moved = 1;
  bool same_steps = true;
  for (const Loop& loop : move.loops) {
    moved *= loop.count;
    same_steps = same_steps && (loop.count == 1 || loop.source == loop.target);
  }
  const int64_t bytes = move.loops.back().count;
  return same_steps && moved == elements * bytes && move.source == 0 && move.target == 0;
}

class Simplifier {
 public:
  Simplifier(Network& network, bool has_bytes, const BytesOfLayers& bytes)
      : network_(network), outputs_(network.outputs()), has_bytes_(has_bytes), bytes_(bytes) {}

  std::map<std::string, Multiple> run() {
    for (TensorOp& op : ops()) rename_move(op);
    for (TensorOp& op : ops()) make_power(op);
    for (size_t i = 0; i < ops().size(); ++i)
      if (add_bias(ops()[i])) erase(i--);
    for (TensorOp& op : ops()) move_addend(op);
    for (size_t i = 0; i < ops().size(); ++i) move_factor(i);
    for (TensorOp& op : ops()) skip_tiles(op);
    for (size_t i = 0; i < ops().size(); ++i)
      if (is_unary(ops()[i])) sink_reshape(i);
    for (size_t i = 0; i < ops().size(); ++i)
      if (is(ops()[i], Op::reshape)) join_reshapes(ops()[i]);
    for (size_t i = ops().size(); i-- > 0;)
      if ((is(ops()[i], Op::reshape) || is(ops()[i], Op::tile)) && readers(ops()[i].top(0)) == 0)
        erase(i);
    return std::move(multiples_);
  }

 private:
  std::vector<TensorOp>& ops() { return network_.ops; }
  void erase(size_t i) { ops().erase(ops().begin() + static_cast<ptrdiff_t>(i)); }
  bool is_output(const std::string& tensor) const {
    return std::ranges::find(outputs_, tensor) != outputs_.end();
  }
  size_t readers(const std::string& tensor) const {
    size_t n = 0;
    for (const TensorOp& op : network_.ops)
      n += static_cast<size_t>(std::ranges::count(op.bottom(), tensor));
    return n;
  }
  // Returns the layer that produces a tensor for one reader only; nullptr if there is none.
  TensorOp* only_producer(const std::string& tensor) {
    const auto found = std::ranges::find_if(
        ops(), [&](const TensorOp& op) { return op.top_size() == 1 && op.top(0) == tensor; });
    return found == ops().end() || readers(tensor) != 1 ? nullptr : &*found;
  }

  // Layers that keep the order of all elements become reshapes. Those of bytes keep their cells,
  // and what the net or the host hands over has its own name.
  void rename_move(TensorOp& op) {
    if (!is(op, Op::permute) && !is(op, Op::crop)) return;
    if ((bytes_.keeps && bytes_.keeps(op)) || op.top_size() != 1) return;
    const TensorOp& source = *network_.producer(renamed_tensor(network_, op.bottom(0)));
    if (is(source, Op::start) || is(source, Op::host)) return;
    const std::vector<Move> moves = moves_of(op);
    if (moves.size() != 1 || !keeps_order(moves[0], count(op.input_shape(0)))) return;
    op.clear_tg_permute_param();
    op.clear_tg_crop_param();
    set_type(op, Op::reshape);
  }

  static bool all_equal(const Blob& blob) {
    return std::ranges::all_of(blob.data, [&](float x) { return x == blob.data[0]; });
  }

  // One factor and one summand for all channels.
  void make_power(TensorOp& op) {
    if (!is(op, Op::scale) || op.tg_scale_param().do_activation()) return;
    if (bytes_.keeps && bytes_.keeps(op)) return;
    const auto blobs = network_.blobs.find(op.name());
    if (blobs == network_.blobs.end() || !std::ranges::all_of(blobs->second, all_equal)) return;
    const bool has_bias = op.tg_scale_param().bias_term() && blobs->second.size() > 1;
    const float scale = blobs->second[0].data[0];
    const float shift = has_bias ? blobs->second[1].data[0] : 0;
    network_.blobs.erase(blobs);
    op.clear_tg_scale_param();
    set_type(op, Op::power);
    op.mutable_tg_power_param()->set_scale(scale);
    op.mutable_tg_power_param()->set_shift(shift);
  }

  // Returns true if the constants that `op` adds became the bias of the inner product before it.
  bool add_bias(TensorOp& op) {
    const auto& param = op.tg_arithmetic_param();
    if (!is(op, Op::arithmetic) || op.bottom_size() != 1 ||
        param.operation() != ::bmnet::TGArithmeticParameter::ADD ||
        op.input_shape(0).dim_size() != op.output_shape(0).dim_size() ||
        dims(op.input_shape(0)) != dims(op.output_shape(0)))
      return false;
    TensorOp* last = take_bias(op, param.b_shape());
    if (last == nullptr) return false;
    last->set_top(0, op.top(0));
    // Views between the product and its sum hold the sum now.
    for (const TensorOp* view = last; is(*view, Op::reshape);
         view = network_.producer(view->bottom(0)))
      multiples_[view->bottom(0)] = {op.top(0)};
    return true;
  }

  // Moves constants that a softmax adds, one for each output of the inner product before it.
  void move_addend(TensorOp& op) {
    if (is(op, Op::softmax) && op.bottom_size() == 1 && network_.blobs.count(op.name()) != 0 &&
        take_bias(op, op.tg_softmax_param().addend_shape()) != nullptr)
      op.mutable_tg_softmax_param()->clear_addend_shape();
  }

  // Multiplies the left operand of a product instead of its result, which is larger.
  void move_factor(size_t i) {
    TensorOp factor = ops()[i];
    const auto& p = factor.tg_power_param();
    // Smaller factors could make operands of 16 bits zero.
    constexpr float kLeastFactor = 1.0f / 32;
    const float size = std::fabs(p.scale());
    if (!is(factor, Op::power) || p.power() != 1 || p.shift() != 0 || size > 1 ||
        size < kLeastFactor || is_output(factor.bottom(0)))
      return;
    TensorOp* product = only_producer(factor.bottom(0));
    if (product == nullptr || !is(*product, Op::matmul) || product->bottom_size() != 2 ||
        count(product->input_shape(0)) >= count(product->output_shape(0)))
      return;
    const auto at = product - ops().data();
    const std::string left = product->bottom(0), scaled = factor.bottom(0) + "/scaled operand";
    product->set_top(0, factor.top(0));
    product->set_bottom(0, scaled);
    factor.set_bottom(0, left);
    factor.set_top(0, scaled);
    *factor.mutable_input_shape(0) = *factor.mutable_output_shape(0) = product->input_shape(0);
    multiples_[scaled] = {left, size};
    erase(i);
    ops().insert(ops().begin() + at, std::move(factor));
  }

  // Makes the constants of `op`, which adds them to its input, the bias of the inner product before
  // it. Returns the layer whose result that input is; nullptr if they cannot be a bias.
  TensorOp* take_bias(const TensorOp& op, const TensorShape& constants) {
    TensorOp* last = only_producer(op.bottom(0));
    TensorOp* product = last;
    while (product != nullptr && is(*product, Op::reshape))
      product = only_producer(product->bottom(0));
    if (product == nullptr || !is(*product, Op::inner_product)) return nullptr;
    auto& own = *product->mutable_tg_inner_product_param();
    const int64_t outputs = own.num_output();
    if (own.bias_term() || own.do_activation() || dims(constants).back() != outputs ||
        count(constants) != outputs || dims(op.input_shape(0)).back() != outputs ||
        (bytes_.may_be_bias && !bytes_.may_be_bias(*product, op)))
      return nullptr;
    own.set_bias_term(true);
    network_.blobs[product->name()].push_back(
        {{outputs}, std::move(network_.blobs[op.name()][0].data)});
    network_.blobs.erase(op.name());
    return last;
  }

  // Reads operands before they are repeated: the commands repeat them.
  void skip_tiles(TensorOp& op) {
    const auto operation = operation_of(op);
    if (!operation || (has_bytes_ && !is(op, Op::arithmetic))) return;
    bool skips = false;
    for (int i = 0; i < op.bottom_size(); ++i)
      for (const TensorOp* tile = network_.producer(op.bottom(i));
           tile != nullptr && repeats_values(*tile); tile = network_.producer(op.bottom(i))) {
        op.set_bottom(i, tile->bottom(0));
        *op.mutable_input_shape(i) = tile->input_shape(0);
        skips = true;
      }
    if (!skips || is(op, Op::arithmetic)) return;
    op.clear_tg_eltwise_param();
    set_type(op, Op::arithmetic);
    op.mutable_tg_arithmetic_param()->set_operation(*operation);
  }

  // Exchanges layer i, a function of one value, and the reshape before it.
  void sink_reshape(size_t i) {
    const TensorOp* producer = only_producer(ops()[i].bottom(0));
    if (producer == nullptr || !is(*producer, Op::reshape)) return;
    const auto at = static_cast<size_t>(producer - ops().data());
    TensorOp reshape = *producer;
    TensorOp& op = ops()[i];
    op.set_bottom(0, reshape.bottom(0));
    *op.mutable_input_shape(0) = *op.mutable_output_shape(0) = reshape.input_shape(0);
    reshape.set_top(0, op.top(0));
    op.set_top(0, op.top(0) + "/before reshape");
    multiples_[op.top(0)] = {reshape.top(0)};
    reshape.set_bottom(0, op.top(0));
    erase(at);
    ops().insert(ops().begin() + static_cast<ptrdiff_t>(i), std::move(reshape));
  }

  // Reads what the reshape before reads. If kernels view the result like the input, readers skip
  // them. Operators of the host see extents.
  void join_reshapes(TensorOp& op) {
    const TensorOp* before = network_.producer(op.bottom(0));
    if (before != nullptr && is(*before, Op::reshape)) {
      op.set_bottom(0, before->bottom(0));
      *op.mutable_input_shape(0) = before->input_shape(0);
    }
    if (view_extents(op.input_shape(0)) != view_extents(op.output_shape(0)) || is_output(op.top(0)))
      return;
    for (TensorOp& reader : ops())
      for (std::string& bottom : *reader.mutable_bottom())
        if (bottom == op.top(0) && may_skip(op, reader)) bottom = op.bottom(0);
  }

  // Cells hold several samples. Layers that may read cells need a tensor of as many samples.
  bool may_skip(const TensorOp& reshape, const TensorOp& reader) const {
    if (is(reader, Op::host)) return false;
    const bool has_cells = bytes_.keeps && bytes_.keeps(reader);
    return !has_cells || reshape.input_shape(0).dim(0) == reshape.output_shape(0).dim(0);
  }

  Network& network_;
  const std::vector<std::string> outputs_;
  const bool has_bytes_;
  const BytesOfLayers& bytes_;
  std::map<std::string, Multiple> multiples_;
};

}  // namespace

std::map<std::string, Multiple> simplify(Network& network, bool has_bytes,
                                         const BytesOfLayers& bytes) {
  return Simplifier(network, has_bytes, bytes).run();
}

}  // namespace tputwin::net::bm1684x
