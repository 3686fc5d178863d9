// Reports undefined bytes, NaN and infinities that leave the chip or decide what a command does.
#include <algorithm>

#include "insight/checker.h"

namespace tputwin::insight {
namespace {

bool is_number(FindingKind kind) { return info(kind).check == Check::numbers; }

// Returns true if the root reads undefined bytes, and does not make its values itself.
bool is_read(FindingKind kind) { return info(kind).check == Check::uninitialized; }

const char* remedy(FindingKind kind) {
  switch (kind) {
    case FindingKind::padding:
      return "strides of the operand that step over the padding, or a fill of these bytes before";
    case FindingKind::nan_made:
      return "a bound of the operands before the command: of a divisor, a root, a difference of "
             "infinities";
    case FindingKind::infinity_made:
      return "a bound or a scale of the operands before the command, or a wider type of the result";
    case FindingKind::nan_read:
      return "numbers where the operand comes from: in the host, or in the command that wrote it";
    default:
      return "a load or a result that fills these bytes before the command, in this launch";
  }
}

}  // namespace

Finding Checker::finding_of(const Root& root) const {
  Finding finding{.kind = root.kind,
                  .actor = actor(root.command, is_read(root.kind) ? "reads:" : "computes:"),
                  .other = {},
                  .place = root.place,
                  .missing = root.missing.empty() ? remedy(root.kind) : root.missing,
                  .note = root.note,
                  .is_meant = root.is_meant};
  finding.actor.operation = root.operation;
  finding.actor.tensors = root.tensors;
  if (root.other != 0) finding.other = actor(root.other, "written by:");
  return finding;
}

// Returns the commands that passed a trace on. Repeated ones of equal source lines are one.
std::vector<Actor> Checker::way_of(TraceId trace) const {
  constexpr size_t kMostShown = 12;
  std::vector<CommandId> way = traces_.way(trace);
  const auto is_same = [&](CommandId a, CommandId b) {
    const Command &one = history_.at(a), &other = history_.at(b);
    return one.stack != 0 && one.stack == other.stack && one.call == other.call;
  };
  way.erase(std::unique(way.begin(), way.end(), is_same), way.end());
  std::vector<Actor> actors;
  for (size_t i = 0; i < way.size(); ++i) {
    if (way.size() > kMostShown && i == kMostShown / 2) i = way.size() - kMostShown / 2;
    actors.push_back(actor(way[i], "passed on by"));
    actors.back().operation.clear();
    actors.back().tensors.clear();
    actors.back().launch = {};
  }
  return actors;
}

// Reports the root of a trace, once. `sink` is the command or the host that uses the value.
void Checker::report_trace(TraceId trace, Actor sink) {
  Root& root = traces_.root(trace);
  if (root.is_reported) return;
  root.is_reported = true;
  if (!is_on(info(root.kind).check)) return;
  // The first of each launch is the cause of most others.
  if (is_number(root.kind) && !launches_with_numbers_.insert(root.launch).second) return;
  if (is_known(root.kind, root.command, root.other)) return;
  Finding finding = finding_of(root);
  finding.way = way_of(trace);
  finding.way.push_back(std::move(sink));
  add(std::move(finding));
}

// Reports the traces in a part of global memory, each once.
void Checker::report_traces_in(const ByteRange& range,
                               const std::function<Actor(CommandId)>& sink) {
  std::map<TraceId, CommandId> found;  // with the last writer
  shadow_.look(range, [&](const Touched& t, const LaneBytes&) {
    if (t.trace != 0) found.try_emplace(t.trace, t.writer);
  });
  for (const auto& [trace, writer] : found)
    if (!traces_.root(trace).is_reported) report_trace(trace, sink(writer));
}

// A block of memory that nothing reads holds results that the program needs: commands read what
// they store for each other.
void Checker::report_unread_block(const Allocation& block) {
  if (read_blocks_.contains(block.begin)) return;
  report_traces_in({Space::global, 0, block.begin, block.end},
                   [&](CommandId writer) { return actor(writer, "left in memory by"); });
}

// Memory that the host holds a pointer to is read without notice.
void Checker::report_exposed() {
  for (const ByteRange& range : exposed_)
    report_traces_in(range, [&](CommandId writer) {
      return actor(writer, "left in memory that the host has a pointer to, by");
    });
}

// Hints at values that never left: those of the launch that ends, unless they are in global memory,
// or those of the device that closes.
void Checker::report_harmless(bool is_closing) {
  if (!is_on(Check::hints)) return;
  const uint32_t launch = history_.current_launch();
  if (!is_closing && history_.launch(launch).name.empty()) return;
  for (size_t i = is_closing ? 0 : launch_first_root_; i < traces_.roots().size(); ++i) {
    const Root& root = traces_.roots()[i];
    if (root.is_reported || !root.is_passed_on || root.is_covered) continue;
    if (root.is_stored && !is_closing) continue;
    const FindingKind kind =
        is_number(root.kind) ? FindingKind::unused_special : FindingKind::unused_undefined;
    if (is_known(kind, root.command, root.other)) continue;
    Finding finding = finding_of(root);
    finding.kind = kind;
    finding.missing = "nothing, if it is meant: no result of it leaves the chip";
    add(std::move(finding));
  }
}

}  // namespace tputwin::insight
