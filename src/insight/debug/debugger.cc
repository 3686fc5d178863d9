// Debugger: turns the work of a device into journal entries, and stops the device.
#include "insight/debug/debugger.h"

#include <fmt/format.h>

#include <algorithm>

#include "insight/layer_scope.h"

namespace tputwin::debug {
namespace {

// Describes the operation and parameters that identify a layer.
class Parameters final : public AttributeSink {
 public:
  std::string text;

 private:
  void take(std::string_view name, const AttributeValue& value) override {
    text += fmt::format(" {}=", name);
    std::visit([&](const auto& v) { text += fmt::format("{}", v); }, value);
  }
};

// Convolutions, products and windows begin layers; element-wise work belongs to the layer before.
bool makes_layer(const Operation& op) { return arithmetic(op) != Arithmetic::elements; }

}  // namespace

Debugger::Debugger(Device& device, Front& front, uint64_t most_bytes, Motion start)
    : device_(device),
      front_(front),
      memory_(device.memories().take_all()),
      journal_(memory_, device.chip(), most_bytes),
      exposed_(memory_),
      watchpoints_(memory_),
      motion_(start) {}

Debugger::~Debugger() { finish("the device is closed"); }

void Debugger::finish(const std::string& why) {
  if (is_finished_ || is_standing_) return;  // a signal may come while the device is stopped
  is_finished_ = true;
  refused_.reset();
  end_ = why;
  journal_.settle();
  note_pointers();
  stand({Stop::Reason::end, why});
}

void Debugger::begin_layer(std::string_view name) {
  layers_.push_back({std::string(name), commands_ + 1});
}

// Returns the layer of a command, from 1. Slices of layers that share local memory take turns, so
// the commands of a named layer are not all next to each other. If the file names no layers, a new
// layer begins at each subnet, under its name. Another begins where the parameters of compute
// commands change.
uint32_t Debugger::layer_of(const Instruction& instruction) {
  const Operation& op = instruction.op;
  const bool is_by_place = in_launch_ <= named_layers_.size();
  const std::string layer(is_by_place ? named_layers_[in_launch_ - 1]
                                      : insight::LayerScope::layer_of(instruction));
  if (is_by_place || !layer.empty()) {
    part_.clear();  // commands without a name begin a layer of their own
    const auto [known, is_new] = named_.try_emplace(layer, number_of_layers() + 1);
    if (is_new) begin_layer(layer);
    return known->second;
  }
  if (const std::string_view part = insight::LayerScope::current(); part != part_) {
    part_ = part;
    begin_layer(part_);
    computing_.clear();
  }
  if (engine(op) != Engine::compute || !makes_layer(op)) return std::max(number_of_layers(), 1u);
  Parameters parameters;
  attributes(op, parameters);
  std::string computing = std::string(name(op)) + parameters.text;
  const bool is_first_of_part = !part_.empty() && computing_.empty();
  if (computing != computing_ && !is_first_of_part) begin_layer(part_);
  computing_ = std::move(computing);
  return number_of_layers();
}

std::string_view Debugger::layer_name(uint32_t layer) const {
  return layer == 0 || layer > layers_.size() ? std::string_view() : layers_[layer - 1].name;
}

Entry Debugger::entry_of(const Instruction& instruction, const Footprint& touched) {
  if (const auto made = origin_.find({instruction.engine, instruction.id}); made != origin_.end())
    std::tie(site_.call, stack_) = std::pair(made->second.call, made->second.stack);
  Entry entry{.launch = is_in_launch_ ? static_cast<uint32_t>(launches_.size() - 1) : 0,
              .in_launch = ++in_launch_,
              .layer = layer_of(instruction),
              .number = ++commands_,
              .call = site_.call,
              .stack = stack_,
              .instruction = std::make_unique<const Instruction>(instruction),
              .before = Patch(memory_, touched.writes)};
  site_ = {};
  stack_ = 0;
  return entry;
}

void Debugger::on_issue(const CallSite& site) {
  site_ = site;
  stack_ = insight::Stacks::of_process().capture();
}

void Debugger::on_refused(const Error& error) {
  if (is_finished_) return;
  journal_.settle();
  note_pointers();
  newest_ = journal_.end();
  refused_ = insight::Stacks::of_process().user_code(insight::Stacks::of_process().capture());
  stand({Stop::Reason::refused, "refused: " + error.message()});
}

void Debugger::before_instruction(const Instruction& instruction, const Footprint& touched) {
  refused_.reset();
  journal_.settle();
  note_pointers();
  newest_ = journal_.end();
  journal_.append(entry_of(instruction, touched));
  newest_ = std::max(newest_, journal_.first());
  if (front_.wants_pause()) return stand({Stop::Reason::pause, "interrupted"});
  if (motion_.back) return;
  if (auto stop = stop_at(newest_)) stand(*stop);
}

void Debugger::on_instruction(const Instruction&, const Footprint& touched, const Cost&) {
  journal_.advance();
  newest_ = journal_.end();
  exposed_.wrote(touched.writes);
  if (auto stop = watch_stop(newest_)) stand(*stop);
}

void Debugger::host_writes(Patch before, std::optional<Patch> after) {
  Entry entry{.kind = Entry::Kind::host_write,
              .launch = is_in_launch_ ? static_cast<uint32_t>(launches_.size() - 1) : 0,
              .layer = number_of_layers(),
              .number = commands_,
              .stack = insight::Stacks::of_process().capture(),
              .before = std::move(before)};
  if (after) entry.after = std::move(*after);
  journal_.append(std::move(entry));
  journal_.advance();
  newest_ = journal_.end();
}

void Debugger::note_pointers() {
  if (auto change = exposed_.take_changes())
    host_writes(std::move(change->before), std::move(change->after));
}

void Debugger::expose(const DeviceEvent& event) {
  if (event.bytes != 0)
    return exposed_.add({Space::global, 0, event.address, event.address + event.bytes});
  for (uint32_t lane = 0; lane < memory_.local.lanes(); ++lane)
    exposed_.add({Space::local, lane, 0, memory_.local.lane_bytes()});
  if (memory_.l2 != nullptr) exposed_.add({Space::l2, 0, 0, memory_.l2->size()});
  if (memory_.dtcm != nullptr) exposed_.add({Space::dtcm, 0, 0, memory_.dtcm->size()});
  for (const insight::Allocation& block : allocations_.live())
    exposed_.add({Space::global, 0, block.begin, block.end});
}

void Debugger::on_event(const DeviceEvent& event) {
  using Kind = DeviceEvent::Kind;
  switch (event.kind) {
    case Kind::launch_begin:
      launches_.emplace_back(event.name);
      origin_.clear();
      named_layers_.clear();
      named_.clear();
      is_in_launch_ = true;
      in_launch_ = 0;
      return;
    case Kind::launch_end:
      note_pointers();
      is_in_launch_ = false;
      return;
    case Kind::commands:
      origin_ = insight::Origins::of_process().find(event.commands);
      layer_runs_ = insight::Layers::of_process().find(event.commands);
      named_layers_ = layer_runs_.by_command();
      return;
    case Kind::allocated:
      return allocations_.add(event.address, event.bytes, insight::Stacks::of_process().capture());
    case Kind::freed:
      allocations_.free(event.address, insight::Stacks::of_process().capture());
      return;
    case Kind::host_write: {
      note_pointers();
      const ByteRange range{event.space, 0, event.address, event.address + event.bytes};
      exposed_.wrote({&range, 1});
      return host_writes(Patch(memory_, {range}), {});
    }
    case Kind::pointer:
      return expose(event);
    case Kind::closed:
      return finish("the device is closed");
    default:
      return;
  }
}

void Debugger::stand(const Stop& stop) {
  journal_.settle();
  watchpoints_.refresh();
  is_standing_ = true;
  front_.stopped(*this, stop);
  is_standing_ = false;
  journal_.go_to(newest_);
  watchpoints_.refresh();
}

}  // namespace tputwin::debug
