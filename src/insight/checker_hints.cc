// Finds unnecessary work: results that nothing reads, and repeated operations.
#include "insight/checker.h"

namespace tputwin::insight {
namespace {

bool is_on_chip(const Footprint& touched) {
  return !touched.writes.empty() &&
         std::ranges::none_of(touched.writes,
                              [](const ByteRange& range) { return range.space == Space::global; });
}

bool is_load(const Footprint& touched) {
  return !touched.reads.empty() && std::ranges::all_of(touched.reads, [](const ByteRange& range) {
    return range.space == Space::global;
  });
}

}  // namespace

void Checker::begin_hints() {
  done_.clear();
  launch_first_ = history_.newest() + 1;
  launch_first_root_ = traces_.roots().size();
  is_exposed_ = false;
}

// Reports an operation that equals an earlier one of the launch, if its operands were not written
// since and its result was not overwritten.
void Checker::check_repeated(CommandId id, const Operation& op, const Footprint& touched) {
  if (!is_on(Check::hints) || touched.writes.empty()) return;
  const auto [known, is_new] = done_.try_emplace(describe(op), id);
  const CommandId before = std::exchange(known->second, id);
  if (is_new) return;
  bool same = true;
  shadow_.look(touched.reads,
               [&](const Touched& t, const LaneBytes&) { same = same && t.writer < before; });
  shadow_.look(touched.writes,
               [&](const Touched& t, const LaneBytes&) { same = same && t.writer == before; });
  if (!same || is_known(FindingKind::repeated, id, before)) return;
  add({.kind = FindingKind::repeated,
       .actor = actor(id, "again:"),
       .other = actor(before, "before:"),
       .place = place(touched.writes),
       .missing = "nothing: one of the two can be left out, for instance moved out of a loop"});
}

// Covers only commands whose operations the history still holds.
void Checker::report_unused() {
  if (!is_on(Check::hints) || is_exposed_) return;
  for (CommandId id = launch_first_; id <= history_.newest(); ++id) {
    const Command& command = history_.at(id);
    const Operation* op = history_.operation(id);
    if (command.number == 0 || command.is_used || op == nullptr) continue;
    const Footprint touched = footprint(*op, chip_);
    if (!is_on_chip(touched)) continue;
    const bool loads = is_load(touched);
    const FindingKind kind = loads ? FindingKind::unread : FindingKind::unused;
    if (is_known(kind, id, 0)) continue;
    add({.kind = kind,
         .actor = actor(id, loads ? "loads:" : "computes:"),
         .other = {},
         .place = place(touched.writes),
         .missing = loads ? "a command that reads it, or nothing: the load can be left out"
                          : "a store of the result, or a command that reads it, in this launch"});
  }
}

}  // namespace tputwin::insight
