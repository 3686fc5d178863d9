// Checks commands against the history of the bytes that they touch.
#include "insight/checker.h"

#include <fmt/format.h>

#include <algorithm>

#include "memory/global_range.h"

namespace tputwin::insight {
namespace {

// Returns the ranges of work tensors. The operation writes them before it reads them.
std::vector<ByteRange> work_tensors(const Operation& op, const Chip& chip) {
  std::vector<ByteRange> ranges;
  if (!std::holds_alternative<FloatFunction>(op)) return ranges;
  for (const Operand& operand : operands(op))
    if (operand.name.starts_with("work")) add_ranges(*operand.view, chip, ranges);
  sort_and_merge(ranges);
  return ranges;
}

}  // namespace

Checker::Checker(const Device& device, Checks checks, Report& report)
    : device_(device), chip_(device.chip()), checks_(checks), report_(report), shadow_(chip_) {
  if (chip_.l2_tables != 0)  // the chip's constant tables
    shadow_.fill({Space::l2, 0, chip_.l2.bytes, chip_.l2.bytes + chip_.l2_tables},
                 history_.add_host(0));
}

void Checker::on_issue(const CallSite& site) {
  site_ = site;
  stack_ = Stacks::of_process().capture();
}

std::string_view Checker::layer_of(const Instruction& instruction) {
  const std::string_view name = layers_.next(instruction);
  if (name.empty()) return {};
  const auto known = layer_names_.find(name);
  return known != layer_names_.end() ? *known : *layer_names_.emplace(name).first;
}

// Choices such as indices may be overwritten by the command, so sources are looked at before it
// runs.
void Checker::before_instruction(const Instruction& instruction, const Footprint& touched) {
  if (const auto made = origin_.find({instruction.engine, instruction.id}); made != origin_.end())
    std::tie(site_.call, stack_) = std::pair(made->second.call, made->second.stack);
  report_.add_command();
  current_ = history_.add(instruction, site_.call, stack_, layer_of(instruction));
  unpolled_ = current_;
  if (is_on(Check::numbers)) before_.take(device_, instruction.op, touched);
  check_operands(current_, instruction.op);
  check_overlap(current_, instruction.op);
  check_repeated(current_, instruction.op, touched);
  read_sources(current_, instruction.op, touched);
  if (writers_.size() > 1) check_neighbours(current_, instruction.op);
}

void Checker::on_instruction(const Instruction& instruction, const Footprint& touched,
                             const Cost&) {
  check_numbers(current_, instruction.op);
  write(current_, touched.writes);
  store_traces(current_);
  if (!meetings_.empty()) report_races(current_);
  shadow_.join_classes();
  site_ = {};
  stack_ = 0;
}

void Checker::read_sources(CommandId id, const Operation& op, const Footprint& touched) {
  meetings_.clear();
  writers_.clear();
  UndefinedReads undefined;
  write(id, work_tensors(op, chip_));
  read(id, touched.reads, undefined);
  if (!undefined.empty()) find_padding(undefined);
  add_roots(id, undefined);
  pass_on(id, op);
}

void Checker::read(CommandId id, const std::vector<ByteRange>& ranges, UndefinedReads& undefined) {
  const Engine engine = history_.at(id).engine;
  // Command buffers of the BM1880 may follow each other on the same local memory. Kernels and nets,
  // which have names, must not rely on bytes of an earlier launch.
  const uint32_t launch = history_.current_launch();
  const bool is_named = !history_.launch(launch).name.empty();
  for (const ByteRange& range : ranges)
    if (range.space == Space::global) note_read(range);
  shadow_.update(ranges, [&](Touched& t, const LaneBytes& bytes) {
    t.readers[static_cast<size_t>(engine)] = id;
    if (t.writer == 0) {
      const bool owned = bytes.space != Space::global || allocations_.find(bytes.begin) != nullptr;
      if (owned) bytes.append_to(undefined[{FindingKind::uninitialized, 0}]);
      return;
    }
    const Command& writer = history_.at(t.writer);
    const bool is_stale =
        bytes.space == Space::local && writer.number != 0 && writer.launch != launch && is_named;
    if (!history_.is_before(t.writer, engine))
      bytes.append_to(meetings_[{FindingKind::race, t.writer}]);
    else if (is_stale)
      add_stale(t.writer, bytes, undefined);
    else if (t.trace != 0)
      add_source(bytes, t.trace);
    history_.mark_used(t.writer);
    writers_.insert(t.writer);
  });
}

// Records that something reads an allocation.
void Checker::note_read(const ByteRange& range) {
  if (const Allocation* block = allocations_.find(range.begin)) read_blocks_.insert(block->begin);
}

// Stale bytes are reported for one of their writers only.
void Checker::add_stale(CommandId writer, const LaneBytes& bytes, UndefinedReads& undefined) {
  const auto before = undefined.lower_bound({FindingKind::stale, 0});
  if (before != undefined.end() && before->first.kind == FindingKind::stale)
    writer = before->first.other;
  bytes.append_to(undefined[{FindingKind::stale, writer}]);
}

void Checker::write(CommandId id, const std::vector<ByteRange>& ranges) {
  const Engine engine = history_.at(id).engine;
  shadow_.update(ranges, [&](Touched& t, const LaneBytes& bytes) {
    const auto meet = [&](CommandId other) {
      if (!history_.is_before(other, engine))
        bytes.append_to(meetings_[{FindingKind::race, other}]);
    };
    meet(t.writer);
    for (const CommandId reader : t.readers) meet(reader);
    t = {.writer = id};
  });
}

// ---- Memory ----

void Checker::check_operands(CommandId id, const Operation& op) {
  if (!is_on(Check::memory)) return;
  for (const Operand& operand : operands(op)) {
    if (operand.view->space != Space::global || operand.view->shape.count() == 0) continue;
    const GlobalRange extent = extent_in_global(*operand.view);
    check_block(id, operand, extent.begin, extent.begin + extent.bytes);
  }
}

void Checker::check_block(CommandId id, const Operand& operand, uint64_t begin, uint64_t end) {
  const Allocation* block = allocations_.find(begin);
  if (block != nullptr && end <= block->end) return;
  const Allocation* past = block == nullptr ? allocations_.past(begin) : nullptr;
  if (is_known(block != nullptr ? FindingKind::across : FindingKind::outside, id, 0)) return;
  Finding finding{.kind = FindingKind::outside,
                  .actor = actor(id, operand.access == Access::read ? "reads:" : "writes:")};
  finding.place = place({{Space::global, 0, block != nullptr ? block->end : begin, end}});
  if (block != nullptr) {
    finding.kind = FindingKind::across;
    finding.other = host_actor(block->allocated, "allocated by");
    finding.missing =
        fmt::format("{} bytes after the end of the allocation, or other strides of {}",
                    end - block->end, operand.name);
  } else if (past != nullptr) {
    finding.kind = FindingKind::use_after_free;
    finding.other = host_actor(past->freed, "freed by");
    finding.missing = "the memory must stay allocated until the command is finished";
  } else {
    finding.missing = fmt::format("an allocation that holds {}", operand.name);
  }
  add(std::move(finding));
}

// ---- Findings ----

// Only the first finding is kept among commands of the same source lines. Commands without lines
// are compared by their number in the launch.
Traces::Key Checker::key_of(FindingKind kind, CommandId id, CommandId other) const {
  const auto key = [&](CommandId of) -> uint64_t {
    if (of == 0) return 0;
    const Command& command = history_.at(of);
    return command.stack != 0 ? uint64_t{command.stack} << 32 : command.number + 1;
  };
  const std::string& name = history_.launch(history_.at(id).launch).name;
  return {kind, key(id), key(other), name};
}

void Checker::report_races(CommandId id) {
  for (const auto& [meeting, bytes] : meetings_)
    if (is_on(Check::races) && !is_known(meeting.kind, id, meeting.other))
      report_race(id, meeting.other, bytes);
}

void Checker::report_race(CommandId id, CommandId other, const std::vector<ByteRange>& bytes) {
  const Command& late = history_.at(id);
  const Command& early = history_.at(other);
  Finding finding{.kind = FindingKind::race,
                  .actor = actor(id, "later:"),
                  .other = actor(other, "earlier:"),
                  .place = place(bytes)};
  finding.missing =
      section_ != 0
          ? "nothing orders the two: the parallel section has to end, and another to begin, "
            "between them"
          : fmt::format(
                "nothing orders the two: command {} ({}) waits for no {} command from {} on",
                late.number, to_string(late.engine), to_string(early.engine), early.number);
  add(std::move(finding));
}

Actor Checker::actor(CommandId id, std::string does) const {
  const Command& command = history_.at(id);
  if (command.number == 0) return host_actor(command.stack, std::move(does));
  UserCode code = Stacks::of_process().user_code(command.stack, command.call);
  UserCode launch = Stacks::of_process().user_code(history_.launch(command.launch).stack);
  if (!launch.lines.empty() && launch.lines.front().function.starts_with("tputwin::"))
    launch = {};  // one of our own tools
  return {.does = std::move(does),
          .call = std::move(code.call),
          .operation = history_.text(id),
          .kernel = history_.launch(command.launch).name,
          .engine = std::string(to_string(command.engine)),
          .command = command.number,
          .layer = std::string(command.layer),
          .lines = std::move(code.lines),
          .launch = std::move(launch),
          .tensors = named_operands(id)};
}

Actor Checker::host_actor(StackId stack, std::string does) const {
  UserCode code = Stacks::of_process().user_code(stack);
  // Networks run on threads of their own, which no line of the program has called.
  if (code.call.empty() && code.lines.empty()) does += " the library that runs the network";
  return {.does = std::move(does),
          .call = std::move(code.call),
          .operation = {},
          .kernel = {},
          .engine = "host",
          .command = 0,
          .lines = std::move(code.lines)};
}

Place Checker::place(std::vector<ByteRange> bytes) const {
  sort_and_merge(bytes);
  const ByteRange& first = bytes.front();
  const uint64_t base = first.space == Space::global ? chip_.global_base : 0;
  Place place{.space = first.space, .begin = UINT64_MAX, .first_lane = UINT32_MAX};
  for (const ByteRange& range : bytes) {
    if (range.space != first.space) continue;
    place.begin = std::min(place.begin, base + range.begin);
    place.end = std::max(place.end, base + range.end);
    place.bytes += range.end - range.begin;
    place.first_lane = std::min(place.first_lane, range.lane);
    place.last_lane = std::max(place.last_lane, range.lane);
  }
  if (first.space == Space::local) {
    place.first_bank = static_cast<uint32_t>(place.begin / chip_.bank_bytes());
    place.last_bank = static_cast<uint32_t>((place.end - 1) / chip_.bank_bytes());
  }
  return place;
}

std::string Checker::tensor_at(uint64_t address) const {
  const auto following = tensors_.upper_bound(address);
  if (following == tensors_.begin()) return {};
  const auto& [begin, tensor] = *std::prev(following);
  if (address >= tensor.end) return {};
  return address == begin ? tensor.name : fmt::format("{} + {:#x}", tensor.name, address - begin);
}

std::vector<std::string> Checker::named_operands(CommandId id) const {
  std::vector<std::string> names;
  const Operation* const op = history_.operation(id);
  if (op == nullptr) return names;
  for (const Operand& operand : operands(*op)) {
    if (operand.view->space != Space::global) continue;
    const std::string tensor = tensor_at(operand.view->address);
    if (!tensor.empty()) names.push_back(fmt::format("{} is {}", operand.name, tensor));
  }
  return names;
}

// Forgets tensors in newly allocated memory.
void Checker::forget_tensors(uint64_t begin, uint64_t end) {
  auto tensor = tensors_.lower_bound(begin);
  while (tensor != tensors_.end() && tensor->first < end) tensor = tensors_.erase(tensor);
}

void Checker::add(Finding finding) {
  if (!is_on(info(finding.kind).check)) return;
  if (finding.place && finding.place->space == Space::global)
    finding.tensor = tensor_at(finding.place->begin - chip_.global_base);
  report_.add(std::move(finding));
}

}  // namespace tputwin::insight
