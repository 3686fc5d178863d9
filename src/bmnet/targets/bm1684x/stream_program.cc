// Construction of the commands of a net.
#include "bmnet/targets/bm1684x/stream_program.h"

#include "base/errors/bmnet.h"
#include "bmnet/targets/bm1684x/target.h"
#include "isa/streams/encode.h"

namespace tputwin::net::bm1684x {
namespace {

Error refused(std::string_view layer, const Operation& op, const Error& why) {
  return Error(errors::net_target)
      .in("layer " + std::string(layer))
      .argument("command", std::string(name(op)))
      .detail(why.message() + "; divide the layer in the net, or cut the net before it")
      .see(target().document());
}

}  // namespace

void StreamProgram::add(const Operation& op) {
  if (!status_.ok()) return;
  auto steps = target().commands_of(op);
  if (!steps.ok()) {
    status_ =
        Error(steps.error()).in("layer " + (layers_.empty() ? std::string() : layers_.back()));
    return;
  }
  for (Operation& step : *steps) {
    if (Status s = check(step, chip());
        !s.ok() && s.error().info().level == tputwin::Level::error) {
      status_ = refused(layers_.empty() ? std::string_view() : layers_.back(), step, s.error());
      return;
    }
    append(std::move(step));
  }
}

void StreamProgram::append(Operation op) {
  const Engine engine = tputwin::engine(op);
  const OperandList list = operands(op);
  if (price_) {
    add_price(op, engine, list);
    return;
  }
  const LaneAccesses accesses(list);
  commands_.push_back({std::move(op), engine, accesses, static_cast<uint32_t>(layers_.size() - 1)});
}

void StreamProgram::add_price(const Operation& op, Engine engine, const OperandList& operands) {
  RunningPrice& price = *price_;
  const Cost cost = tputwin::cost(op, chip());
  price.global_bytes += cost.global_bytes;
  const uint32_t id = ++price.numbers[engine == Engine::dma];
  price.cycles.add(engine, price.waits.add(LaneAccesses(operands), engine, id),
                   insight::work_of(arithmetic(op), engine, operands, cost, chip()));
}

void StreamProgram::begin_price() {
  commands_.clear();
  layers_.clear();
  status_ = {};
  price_.emplace(chip());
}

void StreamProgram::begin_layer(std::string_view name) {
  if (layers_.empty() || layers_.back() != name) layers_.emplace_back(name);
}

std::vector<Instruction> StreamProgram::instructions() const {
  std::vector<Instruction> result;
  result.reserve(commands_.size());
  std::array<uint32_t, 2> numbers{};
  WaitTracker waits;
  for (const StreamCommand& c : commands_) {
    const uint32_t id = ++numbers[c.engine == Engine::dma];
    result.push_back({c.op, c.engine, id, waits.add(c.accesses, c.engine, id)});
  }
  return result;
}

Status StreamProgram::check_encoding() const {
  const std::vector<Instruction> all = instructions();
  for (size_t i = 0; i < all.size(); ++i)
    if (const auto bytes = isa::encode_command(all[i], chip()); !bytes.ok())
      return refused(layers_[commands_[i].layer], all[i].op, bytes.error());
  return {};
}

bmodel::LayerRuns StreamProgram::layers() const {
  bmodel::LayerRuns runs;
  for (size_t i = 0; i < commands_.size();) {
    const size_t begin = i;
    while (i < commands_.size() && commands_[i].layer == commands_[begin].layer) ++i;
    runs.append(layers_[commands_[begin].layer], static_cast<uint32_t>(i - begin));
  }
  return runs;
}

}  // namespace tputwin::net::bm1684x
