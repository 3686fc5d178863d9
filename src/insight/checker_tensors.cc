// Finds tensors that share bytes: results that overlap operands, or reach into neighbours or
// padding.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/bits.h"
#include "insight/checker.h"
#include "insight/number_values.h"
#include "insight/overlaps.h"
#include "ops/read_order.h"

namespace tputwin::insight {
namespace {

using Ranges = std::vector<ByteRange>;

Ranges ranges_of(const TensorView& view, const Chip& chip) {
  Ranges ranges;
  add_ranges(view, chip, ranges);
  sort_and_merge(ranges);
  return ranges;
}

// Returns true if `whole` contains `part`. Both are sorted and merged.
bool contains(const Ranges& whole, const Ranges& part) {
  const auto key = [](const ByteRange& r) { return std::tuple(r.space, r.lane, r.begin); };
  return std::ranges::all_of(part, [&](const ByteRange& range) {
    const auto following = std::ranges::upper_bound(whole, key(range), {}, key);
    if (following == whole.begin()) return false;
    const ByteRange& other = *std::prev(following);
    return other.space == range.space && other.lane == range.lane && range.end <= other.end;
  });
}

// Returns the operand that a result overlaps in an order that is not known. nullptr: none.
const Operand* overlapping(const Operation& op, const OperandList& list, const Chip& chip) {
  const Status status = tputwin::check_overlap(op, chip);
  if (status.ok()) return nullptr;
  const auto named = std::ranges::find(list, status.error().argument(), &Operand::name);
  return named != list.end() ? named : list.begin();
}

}  // namespace

// Reports transfers that read back what they wrote. Results of other operations that depend on an
// order which is not known are reported if they leave the chip.
void Checker::check_overlap(CommandId id, const Operation& op) {
  is_order_followed_ = false;
  const OperandList list = operands(op);
  if (!is_to_report(id, Check::memory) || list.size() < 2) return;
  const bool reads_back = reads_own_writes(op, chip_);
  const Operand* operand = reads_back ? list.begin() + 1 : overlapping(op, list, chip_);
  if (operand == nullptr) return;
  Root root{
      .kind = FindingKind::overlap,
      .command = id,
      .place = place(ranges_of(*operand->view, chip_)),
      .missing = fmt::format("a place of its own for {}, or the same place and strides as {} has",
                             list[0].name, operand->name),
      .is_meant = is_of_file(id),
      .is_passed_on = true};
  const auto dependent =
      reads_back ? std::nullopt : order_dependent(op, chip_, memory_to_read(device_), scratch());
  if (!dependent) {
    if (!is_known(FindingKind::overlap, id, 0)) add(finding_of(root));
    return;
  }
  is_order_followed_ = true;
  if (dependent->empty()) return;
  const TraceId trace = add_root(std::move(root));
  for (const ByteRange& range : *dependent) results_.push_back({range, trace});
}

bool Checker::is_of_launch(CommandId id) const {
  const Command& command = history_.at(id);
  return command.number != 0 && command.launch == history_.current_launch();
}

// Reports an operand that one command wrote completely and a later one overwrote in part, if the
// later result reaches beyond the first one. Both commands are of this launch.
void Checker::check_neighbours(CommandId id, const Operation& op) {
  if (!is_to_report(id, Check::memory)) return;
  for (const Operand& operand : operands(op)) {
    if (operand.access == Access::write || operand.view->shape.count() == 0) continue;
    const Ranges bytes = ranges_of(*operand.view, chip_);
    CommandId owner = 0, neighbour = 0;  // the oldest and the newest writer
    shadow_.look(bytes, [&](const Touched& t, const LaneBytes&) {
      if (t.writer == 0) return;
      owner = owner == 0 ? t.writer : std::min(owner, t.writer);
      neighbour = std::max(neighbour, t.writer);
    });
    if (owner == neighbour) continue;
    const Operation* by_owner = history_.operation(owner);
    const Operation* by_neighbour = history_.operation(neighbour);
    if (by_owner == nullptr || by_neighbour == nullptr) continue;
    if (!is_of_launch(owner) || !is_of_launch(neighbour)) continue;
    const Ranges whole = footprint(*by_owner, chip_).writes;
    if (!contains(whole, bytes) || contains(whole, footprint(*by_neighbour, chip_).writes))
      continue;
    if (is_known(FindingKind::overwritten, id, neighbour)) continue;
    Ranges overwritten;
    shadow_.look(bytes, [&](const Touched& t, const LaneBytes& piece) {
      if (t.writer == neighbour) piece.append_to(overwritten);
    });
    add({.kind = FindingKind::overwritten,
         .actor = actor(id, fmt::format("reads {}:", operand.name)),
         .other = actor(neighbour, "overwritten by:"),
         .place = place(overwritten),
         .missing = "another address or other strides of the result that overwrites, or the "
                    "operand's last use before it",
         .is_meant = is_of_file(id)});
  }
}

// Returns what a command of this launch wrote; nullptr if it is not known any more.
const std::vector<ByteRange>* Checker::writes_of(CommandId id, WritesByCommand& known) const {
  const auto [at, is_new] = known.try_emplace(id);
  if (is_new) {
    const Operation* op = id != 0 && is_of_launch(id) ? history_.operation(id) : nullptr;
    if (op != nullptr) at->second = footprint(*op, chip_).writes;
  }
  return at->second.empty() ? nullptr : &at->second;
}

// Returns the command of this launch whose result ends where the range begins, in the same lane.
// The range is between rows of the result or before the next aligned address. 0: none.
CommandId Checker::padded_tensor(const ByteRange& range, WritesByCommand& known) const {
  if (range.space != Space::local || range.begin == 0) return 0;
  CommandId before = 0;
  shadow_.look(ByteRange{range.space, range.lane, range.begin - 1, range.begin},
               [&](const Touched& t, const LaneBytes&) { before = t.writer; });
  const Ranges* const writes = writes_of(before, known);
  if (writes == nullptr) return 0;
  const auto key = [](const ByteRange& r) { return std::tuple(r.space, r.lane, r.end); };
  const auto row =
      std::ranges::lower_bound(*writes, std::tuple(range.space, range.lane, range.begin), {}, key);
  if (row == writes->end() || key(*row) != std::tuple(range.space, range.lane, range.begin))
    return 0;
  const auto next = std::next(row);
  const bool is_between =
      next != writes->end() && next->lane == range.lane && range.end <= next->begin;
  const bool is_after = range.end <= align_up(range.begin, uint64_t{chip_.eu_bytes});
  return is_between || is_after ? before : 0;
}

void Checker::find_padding(UndefinedReads& undefined) {
  WritesByCommand known;
  for (const FindingKind kind : {FindingKind::uninitialized, FindingKind::stale}) {
    const auto found = std::ranges::find_if(
        undefined, [&](const auto& meeting) { return meeting.first.kind == kind; });
    if (found == undefined.end()) continue;
    Ranges bytes = found->second;
    sort_and_merge(bytes);
    CommandId tensor = 0;
    const bool all = std::ranges::all_of(bytes, [&](const ByteRange& range) {
      const CommandId padded = padded_tensor(range, known);
      if (tensor == 0) tensor = padded;
      return padded != 0;
    });
    if (!all) continue;
    undefined[{FindingKind::padding, tensor}] = std::move(bytes);
    undefined.erase(found);
  }
}

}  // namespace tputwin::insight
