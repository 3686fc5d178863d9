// Construction of the commands of a net.
#include "bmnet/targets/bm1684x/stream_program.h"

#include "bmnet/targets/bm1684x/target.h"
#include "isa/bm1684x/expand.h"

namespace tputwin::net::bm1684x {

void StreamProgram::add(const Operation& op) {
  for (Operation& step : isa::steps_of(op, chip())) add_step(std::move(step));
}

void StreamProgram::add_step(Operation op) {
  if (!status_.ok()) return;
  if (Status s = check(op, chip()); !s.ok() && s.error().info().level == tputwin::Level::error) {
    if (!begun_.empty()) s.error().set_call_if_empty("layer " + begun_.back().layer);
    status_ = std::move(s);
    return;
  }
  const Engine engine = tputwin::engine(op);
  const uint32_t id = ++commands_[engine == Engine::dma];
  const uint32_t wait = waits_.add(op, engine, id);
  instructions_.push_back({std::move(op), engine, id, wait});
}

void StreamProgram::begin_layer(std::string_view name) {
  if (!begun_.empty() && begun_.back().layer == name) return;
  begun_.push_back({std::string(name), instructions_.size()});
}

bmodel::LayerRuns StreamProgram::layers() const {
  bmodel::LayerRuns runs;
  for (size_t i = 0; i < begun_.size(); ++i) {
    const size_t end = i + 1 < begun_.size() ? begun_[i + 1].at : instructions_.size();
    if (end > begun_[i].at) runs.append(begun_[i].layer, static_cast<uint32_t>(end - begun_[i].at));
  }
  return runs;
}

}  // namespace tputwin::net::bm1684x
