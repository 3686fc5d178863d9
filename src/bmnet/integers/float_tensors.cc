// Tensors that hold floats in the int8 net.
#include "bmnet/integers/float_tensors.h"

#include <algorithm>
#include <map>

#include "bmnet/integers/float_outputs.h"
#include "bmnet/integers/integers.h"
#include "bmnet/integers/thresholds.h"

namespace tputwin::net {
namespace {

// Returns true if the result may be floats although nothing is computed. The TPU transfers elements
// of any type; upsampling, a convolution there, is left to the host.
bool moves_floats(const TensorOp& op) { return has_trait(op, trait::moves_elements); }

class Planner {
 public:
  Planner(const Network& network, FloatOutputs outputs, const ForcedMoves& forced)
      : network_(network), outputs_(outputs), forced_(forced) {}

  std::set<std::string> run() {
    for (auto op = network_.ops.rbegin(); op != network_.ops.rend(); ++op) find_readers(*op);
    for (const TensorOp& op : network_.ops) find_results(op);
    return std::move(floats_);
  }

 private:
  bool is_forced(const TensorOp& op) const {
    return moves_floats(op) && (is_left_to_host(op) || forced_.contains(op.name()));
  }
  bool is_wanted(const TensorOp& op) const {
    return std::ranges::any_of(op.top(), [&](const auto& top) { return wanted_.contains(top); });
  }

  // Remembers the tensors that the op would read as floats.
  void find_readers(const TensorOp& op) {
    const bool reads = (runs_on_host(op) && !has_trait(op, trait::shapes_only)) ||
                       (is(op, Op::end) && outputs_ == FloatOutputs::allowed) || is_forced(op) ||
                       (moves_floats(op) && is_wanted(op));
    if (reads) wanted_.insert(op.bottom().begin(), op.bottom().end());
    const auto is_by_left = [&](const auto& top) { return by_left_.contains(top); };
    if (is_left_to_host(op) || (moves_floats(op) && std::ranges::any_of(op.top(), is_by_left)))
      by_left_.insert(op.bottom().begin(), op.bottom().end());
    if (!reads || is(op, Op::end)) by_others_.insert(op.bottom().begin(), op.bottom().end());
  }

  void find_results(const TensorOp& op) {
    const auto is_float = [&](const auto& tensor) { return floats_.contains(tensor); };
    const bool moves =
        moves_floats(op) && is_wanted(op) && std::ranges::any_of(op.bottom(), is_float);
    for (int i = 0; i < op.top_size(); ++i)
      if (holds_floats(op, i) || moves || is_forced(op) || is_float_input(op, i) ||
          (runs_on_host(op) && wanted_.contains(op.top(i))))
        floats_.insert(op.top(i));
  }

  // Inputs that operators of the host alone read, or operators that are left to the host.
  bool is_float_input(const TensorOp& op, int top) const {
    return is(op, Op::start) && outputs_ == FloatOutputs::allowed &&
           wanted_.contains(op.top(top)) &&
           (!by_others_.contains(op.top(top)) || by_left_.contains(op.top(top)));
  }

  const Network& network_;
  const FloatOutputs outputs_;
  const ForcedMoves& forced_;
  std::set<std::string> wanted_, floats_;
  std::set<std::string> by_others_;  // tensors that are outputs or that the TPU reads
  std::set<std::string> by_left_;    // tensors that operators left to the host read, or moves do
                                     // for them
};

int bytes_of(bool is_float) { return is_float ? sizeof(float) : 1; }

// Inserts the conversions of tensors whose readers need the other type.
class Converter {
 public:
  Converter(Network& network, FloatOutputs outputs, std::set<std::string> floats)
      : network_(network), outputs_(outputs), floats_(std::move(floats)) {}

  void run() {
    std::vector<TensorOp> ops = std::move(network_.ops);
    network_.ops.clear();
    for (TensorOp& op : ops) {
      for (int i = 0; i < op.bottom_size(); ++i) read(op, i);
      for (int i = 0; i < op.top_size(); ++i)
        op.mutable_output_shape(i)->set_data_type_size(bytes_of(floats_.contains(op.top(i))));
      if (is(op, Op::upsample) && floats_.contains(op.top(0))) op.set_cpu_op(true);
      for (const auto& [name, conversion] : waiting_) network_.ops.push_back(conversion);
      waiting_.clear();
      network_.ops.push_back(std::move(op));
    }
  }

 private:
  // Sets the type of a bottom, or reads its conversion instead.
  void read(TensorOp& op, int i) {
    const std::string tensor = op.bottom(i);
    const bool is_float = floats_.contains(tensor);
    op.mutable_input_shape(i)->set_data_type_size(bytes_of(is_float));
    if (takes(op, is_float)) return;
    const std::string name = tensor + (is_float ? "/int8" : "/float");
    if (converted_.insert(name).second) convert(op.input_shape(i), tensor, name, is_float);
    op.set_bottom(i, name);
    op.mutable_input_shape(i)->set_data_type_size(bytes_of(!is_float));
  }

  bool takes(const TensorOp& op, bool is_float) const {
    if (runs_on_host(op) && !moves_floats(op)) return true;
    if (is(op, Op::end)) return !is_float || outputs_ == FloatOutputs::allowed || was_float(op);
    if (moves_floats(op)) return floats_.contains(op.top(0)) == is_float;
    return !is_float || was_float(op);
  }
  // Returns true for code of the user and outputs that have coordinates, which are floats anyway.
  static bool was_float(const TensorOp& op) {
    return properties(op.type()).runs_on == RunsOn::code || is(op, Op::end);
  }

  void convert(const TensorShape& shape, const std::string& tensor, const std::string& name,
               bool is_float) {
    TensorOp op;
    op.set_name(name);
    set_type(op, is_float ? Op::quantized : Op::dequantized);
    op.add_bottom(tensor);
    op.add_top(name);
    *op.add_input_shape() = shape;
    *op.add_output_shape() = shape;
    op.mutable_output_shape(0)->set_data_type_size(bytes_of(!is_float));
    if (!is_float) floats_.insert(name);
    waiting_[name] = std::move(op);
  }

  Network& network_;
  const FloatOutputs outputs_;
  std::set<std::string> floats_, converted_;
  std::map<std::string, TensorOp> waiting_;  // conversions before the present op
};

// Returns the layers that join parts of very different ranges to outputs. None if the table is
// incomplete.
ForcedMoves mixed_joins(const Network& network, const NetCalibrationParameter& table) {
  ForcedMoves moves;
  const std::vector<JoinedOutput> joined = joined_outputs(network);
  if (joined.empty()) return moves;
  const auto resolved = resolve_thresholds(network, table);
  if (!resolved.ok()) return moves;
  std::map<std::string, float, std::less<>> thresholds;
  for (size_t i = 0; i < network.ops.size(); ++i)
    for (int t = 0; t < network.ops[i].top_size(); ++t)
      thresholds[network.ops[i].top(t)] = (*resolved)[i].y.at(static_cast<size_t>(t));
  for (const JoinedOutput& output : joined)
    if (is_mixed(output, [&](const std::string& tensor) { return thresholds.at(tensor); }))
      moves.insert(output.layers.begin(), output.layers.end());
  return moves;
}

// Removes the rescaling of concatenations of floats, which need none.
void drop_rescaling(const Network& network, const std::set<std::string>& floats,
                    NetCalibrationParameter& table) {
  for (const TensorOp& op : network.ops) {
    if (!is(op, Op::concat) || !floats.contains(op.top(0))) continue;
    const auto* found = find_entry(table, op);
    for (LayerCalibrationParameter& entry : *table.mutable_layer())
      if (&entry == found) entry.clear_concat_param();
  }
}

}  // namespace

std::set<std::string> float_tensors(const Network& network, FloatOutputs outputs,
                                    const ForcedMoves& forced) {
  return Planner(network, outputs, forced).run();
}

void use_floats(Network& network, NetCalibrationParameter& table, FloatOutputs outputs) {
  ForcedMoves forced;
  if (outputs == FloatOutputs::allowed) forced = mixed_joins(network, table);
  std::set<std::string> floats = float_tensors(network, outputs, forced);
  drop_rescaling(network, floats, table);
  Converter(network, outputs, std::move(floats)).run();
}

}  // namespace tputwin::net
