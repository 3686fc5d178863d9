// Builds plans: finds the work that all runs of a program have in common.
#include "machine/optimizer/executable_plan.h"

#include <algorithm>
#include <array>
#include <map>

#include "machine/device.h"
#include "machine/optimizer/program_graph.h"

namespace tputwin {
namespace {

// Returns the source of a load from global to local memory; nullptr if `op` is no such load.
const TensorView* loaded(const Operation& op) {
  const auto load = [](const TensorView& dst, const TensorView& src) -> const TensorView* {
    return src.space == Space::global && dst.space == Space::local ? &src : nullptr;
  };
  if (const auto* t = std::get_if<DmaTensor>(&op)) return load(t->dst, t->src);
  if (const auto* c = std::get_if<Copy>(&op))
    return c->src.is_constant ? nullptr : load(c->dst, c->src.view);
  if (const auto* m = std::get_if<DmaMatrix>(&op)) return load(m->dst.tensor, m->src.tensor);
  return nullptr;
}

// Returns true if both loads write the same bytes to the same addresses, for equal contents of
// global memory.
bool same_load(const Operation& a, const Operation& b) {
  if (a.index() != b.index()) return false;
  if (const auto* t = std::get_if<DmaTensor>(&a)) {
    const auto& other = std::get<DmaTensor>(b);
    return t->dst == other.dst && t->src == other.src && t->transpose_nc == other.transpose_nc;
  }
  if (const auto* c = std::get_if<Copy>(&a)) {
    const auto& other = std::get<Copy>(b);
    return c->dst == other.dst && c->src.view == other.src.view;
  }
  const auto &m = std::get<DmaMatrix>(a), &other = std::get<DmaMatrix>(b);
  return m.dst == other.dst && m.src == other.src && m.transpose == other.transpose;
}

bool is_host_call(const Instruction& instruction) {
  const auto* call = std::get_if<CpuCall>(&instruction.op);
  return call != nullptr && !call->sync;
}

// Numbers loads. Equal loads get the same number.
class LoadNumbers {
 public:
  explicit LoadNumbers(std::span<const Instruction> program) : program_(program) {}
  std::vector<uint32_t> of(const std::vector<uint32_t>& loads) {
    std::vector<uint32_t> numbers;
    for (uint32_t load : loads) {
      auto& known = by_address_[loaded(program_[load].op)->address];
      const auto same = std::find_if(known.begin(), known.end(), [&](uint32_t other) {
        return same_load(program_[load].op, program_[other].op);
      });
      numbers.push_back(same == known.end() ? load : *same);
      if (numbers.back() == load) known.push_back(load);
    }
    return numbers;
  }

 private:
  std::span<const Instruction> program_;
  std::map<uint64_t, std::vector<uint32_t>> by_address_;
};

}  // namespace

GlobalRange extent_in_global(const TensorView& v) {
  if (v.shape.count() == 0) return {v.address, 0};
  const auto steps = [](uint64_t extent, uint64_t stride) { return (extent - 1) * stride; };
  const uint64_t last = steps(cells(v), v.stride.n) + steps(v.shape.c, v.stride.c) +
                        steps(v.shape.h, v.stride.h) + steps(v.shape.w, v.stride.w);
  return {v.address, last + (is_run(v) ? run_bytes(v) : v.plane_stride + uint64_t{1})};
}

bool Plan::fits(const Device& device) const {
  return state_ == State::built && device_ == &device && choices_ == fast::choices();
}

// The first run of a program makes no plan, because a program that runs once would not gain from
// it.
bool Plan::is_ready(Device& device) {
  if (state_ == State::unseen) {
    state_ = State::seen;
    return false;
  }
  if (state_ == State::hopeless) return false;
  if (!fits(device) && !build(device)) return false;
  return !warns_ || !device.diagnostics().strict();
}

// Returns true if no instruction breaks a rule and program order satisfies every wait.
bool Plan::check(Device& device) {
  std::array<uint32_t, 3> finished{};
  for (size_t i = 0; i < program_.size(); ++i) {
    const Instruction& instruction = program_[i];
    const auto engine = static_cast<size_t>(instruction.engine);
    const size_t other = instruction.engine == Engine::compute ? 2 : 0;
    if (instruction.wait > finished[other]) return false;
    if (instruction.engine == Engine::cpu) {
      finished = {};
      continue;
    }
    if (instruction.id != 0) finished[engine] = instruction.id;
    for (const Status& status :
         {tputwin::check(instruction.op, device.chip()),
          check_bounds(instruction.op, device.chip(), device.global_bytes())}) {
      if (status.ok()) continue;
      if (status.error().info().level != Level::warning) return false;
      steps_[i].warns = warns_ = true;
    }
  }
  return true;
}

bool Plan::build(Device& device) {
  fill_pages();
  device_ = &device;
  pages_ = device.pages_;
  choices_ = fast::choices();
  state_ = State::hopeless;
  steps_.clear();
  constants_.clear();
  written_.clear();
  owed_ = std::make_shared<PendingLoads::Loads>();
  warns_ = false;
  steps_.resize(program_.size());
  if (!check(device)) return false;
  for (const Instruction& instruction : program_)
    for (const Operand& operand : operands(instruction.op))
      if (operand.access != Access::read && operand.view->space == Space::global)
        written_.push_back(extent_in_global(*operand.view));
  const Dataflow flow = analyse(program_, device.chip());
  prepare_bodies(device, flow);
  absorb_endings(flow, device.chip());
  share_constants();
  spare_loads(flow, device.own_memory());
  absorb_sums(flow, device.local_);
  absorb_floors(flow);
  absorb_moves(flow, device);
  share_copies(device.local_);
  note_use();
  tried_pages_ = false;
  state_ = State::built;
  return true;
}

void Plan::prepare_bodies(Device& device, const Dataflow& flow) {
  const Memory memory = device.own_memory();
  uint32_t section = 0;
  for (uint32_t i = 0; i < program_.size(); ++i) {
    Step& step = steps_[i];
    if (i == 0 || is_host_call(program_[i - 1])) section += (step.begins_section = true);
    const bool has_constants = fast::constant_operands(program_[i].op).size() != 0;
    auto constants = constants_of(i, flow);
    if (has_constants && !constants) continue;
    step.body = fast::prepare(program_[i].op, memory);
    if (step.body == nullptr || !has_constants) continue;
    step.constants = static_cast<uint32_t>(constants_.size());
    constants->section = section;
    constants_.push_back(std::move(*constants));
  }
}

// Shares constants among kernels that pack the same bytes in the same way.
void Plan::share_constants() {
  LoadNumbers numbers(program_);
  std::map<std::vector<uint32_t>, std::vector<uint32_t>> users;  // steps, by their loads
  std::vector<Constants> shared;
  for (uint32_t i = 0; i < program_.size(); ++i) {
    Step& step = steps_[i];
    if (step.constants == kNone) continue;
    Constants& own = constants_[step.constants];
    auto& known = users[numbers.of(own.loads)];
    const auto same = std::find_if(known.begin(), known.end(), [&](uint32_t other) {
      return shared[steps_[other].constants].section == own.section &&
             step.body->share(*steps_[other].body);
    });
    if (same != known.end()) {
      step.constants = steps_[*same].constants;
      continue;
    }
    known.push_back(i);
    step.constants = static_cast<uint32_t>(shared.size());
    shared.push_back(std::move(own));
  }
  constants_ = std::move(shared);
  for (Step& step : steps_)
    if (step.kept_by != kNone) step.kept_by = steps_[step.absorbed_by].constants;
}

// Returns the loads that write the constants of an instruction. Returns nullopt if it has none, or
// if their bytes are not loaded from global memory that the program never writes.
std::optional<Plan::Constants> Plan::constants_of(uint32_t instruction,
                                                  const Dataflow& flow) const {
  const auto& writers = flow.nodes[instruction].constant_writers;
  if (writers.empty()) return {};
  Constants constants;
  for (uint32_t writer : writers)
    if (!add_constant(writer, constants)) return {};
  return constants;
}

bool Plan::add_constant(uint32_t writer, Constants& constants) const {
  const auto source = constant_source(writer);
  if (!source) return false;
  constants.loads.push_back(writer);
  constants.sources.push_back(*source);
  return true;
}

// Returns the global range that an instruction loads from, if the program never writes it.
std::optional<GlobalRange> Plan::constant_source(uint32_t writer) const {
  if (writer == Dataflow::kBefore) return {};
  const TensorView* source = loaded(program_[writer].op);
  if (source == nullptr) return {};
  const GlobalRange range = extent_in_global(*source);
  if (written_by_program(range)) return {};
  return range;
}

bool Plan::written_by_program(const GlobalRange& range) const {
  return std::any_of(written_.begin(), written_.end(),
                     [&](const GlobalRange& w) { return intersect(w, range); });
}

// Returns true if the load can be deferred: its bytes are live-out, and its source is also the
// source of packed constants.
bool Plan::can_be_owed(uint32_t load, const Dataflow& flow) const {
  const auto source = constant_source(load);
  const Dataflow::Node& node = flow.nodes[load];
  if (flow.uses_before || !node.is_exact || node.remains.empty() || !source) return false;
  const auto holds_source = [&](uint32_t constants) {
    return std::ranges::any_of(constants_[constants].sources, [&](const GlobalRange& other) {
      return other.begin == source->begin && other.bytes == source->bytes;
    });
  };
  return std::ranges::any_of(steps_[load].needed_by, holds_source);
}

// Marks loads to elide. Only instructions that keep the loaded bytes packed may read them. The
// bytes are overwritten before the end, or the load can be deferred.
void Plan::spare_loads(const Dataflow& flow, const Memory& memory) {
  for (uint32_t i = 0; i < program_.size(); ++i) {
    const Dataflow::Node& node = flow.nodes[i];
    const auto is_kept = [&](uint32_t reader) { return steps_[reader].kept_by != kNone; };
    if (loaded(program_[i].op) == nullptr || !(node.dies || !node.remains.empty()) ||
        !std::ranges::all_of(node.readers, is_kept))
      continue;
    Step& step = steps_[i];
    step.spare = true;
    for (uint32_t reader : node.readers) step.needed_by.push_back(steps_[reader].kept_by);
    for (uint32_t reader : node.constant_readers) {
      const uint32_t constants = steps_[reader].constants;
      step.spare &= constants != kNone;
      step.needed_by.push_back(constants);
    }
    step.outlives = !node.dies;
    step.spare = step.spare && (node.dies || can_be_owed(i, flow));
    if (!step.spare || node.dies) continue;
    owed_->operations.push_back(program_[i].op);
    owed_->sources.push_back(*constant_source(i));
    for (const ByteRange& r : node.remains)
      owed_->bytes.push_back(
          {r.lane, static_cast<uint32_t>(r.begin), static_cast<uint32_t>(r.end)});
  }
  owed_->bytes.shrink_to_fit();
  for (size_t i = 0; i < program_.size(); ++i) {
    std::vector<uint32_t> loads = flow.nodes[i].constant_writers;
    std::erase_if(loads,
                  [&](uint32_t load) { return load == Dataflow::kBefore || !steps_[load].spare; });
    if (steps_[i].constants == kNone || loads.empty()) continue;
    steps_[i].body->restore_by([this, loads, memory] {
      if (const auto pages = pages_.lock()) need_pages(*pages, /*spare_loads=*/true);
      for (const uint32_t load : loads) tputwin::execute(program_[load].op, memory);
    });
  }
}

void Plan::begin_section(const WriteClock& clock, SparePages& pages, uint32_t section) {
  bool any_stale = false;
  for (Constants& constants : constants_) {
    if (constants.section != section) continue;
    constants.looked_at = clock.now();
    constants.stale = !constants.packed || !is_current(constants, clock);
    any_stale |= constants.stale;
  }
  if (any_stale) was_stale_ = true, tried_pages_ = false;
  const bool can_owe = !owed_->operations.empty();  // then the program has one section
  owes_ = can_owe && may_owe_ && !any_stale;
  need_pages(pages, any_stale || (can_owe && !owes_));
}

bool Plan::leaves_out(const Step& step) const {
  const auto is_stale = [&](uint32_t i) { return constants_[i].stale; };
  if (step.absorbed()) return true;
  return step.spare && (owes_ || !step.outlives) && std::ranges::none_of(step.needed_by, is_stale);
}

void Plan::run_prepared(const Step& step, const Memory& memory) {
  if (step.constants != kNone && constants_[step.constants].stale) {
    Constants& constants = constants_[step.constants];
    step.body->pack(memory);
    constants.stale = false;
    constants.packed = true;
    constants.packed_at = constants.looked_at;
  }
  step.body->run(memory);
}

Plan::Extent Plan::extent() const {
  Extent extent{.instructions = program_.size()};
  for (size_t i = 0; i < steps_.size(); ++i) {
    extent.prepared += steps_[i].body != nullptr;
    extent.spare_loads += steps_[i].spare;
    extent.found_copies += steps_[i].finds_copy;
    extent.owed_loads += steps_[i].spare && steps_[i].outlives;
    extent.endings += steps_[i].kept_by != kNone;
    if (!steps_[i].absorbed() || steps_[i].kept_by != kNone) continue;
    const auto* operation = std::get_if<Elementwise>(&program_[i].op);
    extent.moves += operation == nullptr;
    extent.sums += operation != nullptr && operation->kind == Elementwise::Kind::mac;
    extent.floors += operation != nullptr && operation->kind == Elementwise::Kind::max;
  }
  for (const Constants& constants : constants_) extent.packed += constants.packed;
  if (const auto pages = pages_.lock()) extent.spare_bytes = pages->bytes_of(this);
  return extent;
}

}  // namespace tputwin
