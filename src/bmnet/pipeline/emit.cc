// Pass emit: emits commands and weights, stage by stage.
#include <tputwin/cpu_op.h>

#include <algorithm>

#include "base/errors/bmnet.h"
#include "bmnet/cpu_ops/cpu_ops.h"
#include "bmnet/ir/any_case.h"
#include "bmnet/kernels/emit_group.h"
#include "bmnet/kernels/moves.h"
#include "bmnet/lowering/weight_memory.h"
#include "bmnet/pipeline/compilation.h"
#include "bmnet/pipeline/group_report.h"
#include "bmnet/pipeline/passes.h"

namespace tputwin::net::pass {
namespace {

class Emission {
 public:
  explicit Emission(Compilation& c)
      : c_(c), weights_(c.compiled.weight, c.at_least(Level::weight_optimization)) {}

  Status emit(const ProgramPart& part) {
    if (part.kind != ProgramPart::Kind::group) program().begin_layer(network().ops[part.op].name());
    switch (part.kind) {
      case ProgramPart::Kind::group:
        emit_group(*part.group);
        break;
      case ProgramPart::Kind::moves:
        emit_moves(part);
        break;
      case ProgramPart::Kind::host:
        emit_host(part.op);
        break;
      case ProgramPart::Kind::customized:
        TW_RETURN_IF_ERROR(emit_customized(part.op));
        break;
    }
    return program().status();
  }

 private:
  const Network& network() const { return c_.net.network; }
  Program& program() { return *c_.program; }

  // Adds a layer outside groups to the explanation and to the optimized net.
  void record(const TensorOp& op, std::string_view how) {
    explain_layer(c_.compiled.explanation, op, how);
    *c_.compiled.optimized.add_layer() = op;
  }

  // Returns the layer with the offsets of its tensors.
  TensorOp placed(size_t i) const {
    TensorOp op = network().ops[i];
    op.clear_global_input();
    op.clear_global_output();
    for (const std::string& t : op.bottom())
      op.add_global_input(c_.positions.find(t)->second.offset);
    for (const std::string& t : op.top()) op.add_global_output(c_.positions.find(t)->second.offset);
    return op;
  }

  void emit_group(const PricedGroup& group) {
    WeightOffsets weights;
    for (const TiledKernel* k : group.schedule.kernels)
      for (const Weight& w : k->weights) weights[k].push_back(weights_.store(w.bytes));
    net::emit_group(program(), group.schedule, c_.positions, weights);
    explain_group(c_.compiled.explanation, network(), group);
    describe_group(c_.compiled.optimized, network(), group, c_.positions, weights, group_count_++);
  }

  void emit_moves(const ProgramPart& part) {
    for (const Move& m : part.moves) emit_move(program(), m, c_.positions, network());
    record(placed(part.op), "moved through the lanes");
  }

  void emit_host(size_t i) {
    TensorOp op = placed(i);
    op.set_type(std::string(cpu_plugin_name(op.type())));
    op.set_cpu_op(true);
    for (float t : c_.net.integers[i].threshold_x) op.add_threshold_x(t);
    for (float t : c_.net.integers[i].threshold_y) op.add_threshold_y(t);
    if (auto blobs = network().blobs.find(op.name()); blobs != network().blobs.end())
      for (const Blob& b : blobs->second) {
        op.add_global_coeff(weights_.store_floats(b.data));
        *op.add_coeff_shape() = make_shape(b.shape, 4);
      }
    std::string payload = op.SerializeAsString();
    tputwin_cpu_op(program().context(), op.type().c_str(), payload.data(), payload.size());
    remember_plugin(op.type());
    record(op, "runs on the host");
  }

  Status emit_customized(size_t i) {
    TensorOp op = placed(i);
    const std::string key = "tg_" + op.tg_customized_param().sub_type();
    auto code = find_any_case(c_.options.customized, key);
    if (code == c_.options.customized.end())
      return Error(errors::net_ir_type).in("layer " + op.name()).argument("type", key);
    TW_RETURN_IF_ERROR(code->second(op, c_.net.integers[i], program()));
    if (op.cpu_op()) remember_plugin(op.type());
    record(op, "customized");
    return {};
  }

  void remember_plugin(const std::string& name) {
    auto& list = c_.compiled.cpu_operators;
    if (std::ranges::find(list, name) == list.end()) list.push_back(name);
  }

  Compilation& c_;
  WeightMemory weights_;
  int group_count_ = 0;
};

}  // namespace

Status emit(Compilation& c) {
  c.program.emplace();
  Emission emission(c);
  for (const ProgramPart& part : c.parts) TW_RETURN_IF_ERROR(emission.emit(part));
  return {};
}

}  // namespace tputwin::net::pass
