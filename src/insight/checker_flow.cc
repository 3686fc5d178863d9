// Follows undefined bytes, NaN and infinities from what commands read to what they write.
#include <algorithm>

#include "insight/checker.h"
#include "insight/number_values.h"
#include "ops/dependence/dependence.h"

namespace tputwin::insight {
namespace {

constexpr size_t kMostMarks = 255;

// Numbers the traces that a command reads, so that the first one has the largest mark.
class MarkNumbers {
 public:
  MarkNumbers(const Traces& traces, const std::vector<TracedBytes>& sources) {
    for (const TracedBytes& source : sources) traces_.push_back(source.trace);
    std::ranges::sort(traces_, [&](TraceId a, TraceId b) { return traces.comes_first(b, a); });
    traces_.erase(std::unique(traces_.begin(), traces_.end()), traces_.end());
    for (size_t i = 0; i < traces_.size(); ++i) marks_[traces_[i]] = mark_at(i);
  }
  // Returns the traces, the first one last.
  const std::vector<TraceId>& traces() const { return traces_; }
  Mark mark(TraceId trace) const { return marks_.at(trace); }
  TraceId trace(Mark mark) const {
    return traces_[traces_.size() <= kMostMarks ? mark - 1u
                                                : traces_.size() - kMostMarks + mark - 1];
  }

 private:
  // The last traces share a mark if there are too many.
  Mark mark_at(size_t i) const {
    const size_t above = traces_.size() - i;  // 1: the first
    return static_cast<Mark>(std::min(traces_.size(), kMostMarks) - std::min(above, kMostMarks) +
                             1);
  }
  std::vector<TraceId> traces_;  // the first one last
  std::map<TraceId, Mark> marks_;
};

}  // namespace

void Checker::add_source(const LaneBytes& bytes, TraceId trace) {
  std::vector<ByteRange> ranges;
  bytes.append_to(ranges);
  for (const ByteRange& range : ranges) sources_.push_back({range, trace});
}

// Adds the roots of undefined bytes that a command reads, to the traces that it reads.
void Checker::add_roots(CommandId id, UndefinedReads& undefined) {
  for (auto& [meeting, bytes] : undefined) {
    Root root{.kind = meeting.kind, .command = id, .other = meeting.other, .place = place(bytes)};
    const TraceId trace = add_root(std::move(root));
    for (const ByteRange& range : bytes) sources_.push_back({range, trace});
  }
  std::ranges::sort(sources_, {}, [](const TracedBytes& source) {
    const ByteRange& r = source.bytes;
    return std::tuple(r.space, r.lane, r.begin);
  });
}

TraceId Checker::add_root(Root root) {
  const CommandId id = root.command;
  root.operation = history_.text(id);
  root.tensors = named_operands(id);
  root.launch = history_.at(id).launch;
  const Traces::Key key = key_of(root.kind, id, root.other);
  return traces_.add_root(std::move(root), key);
}

MarkScratch& Checker::scratch() {
  if (scratch_ == nullptr) scratch_ = std::make_unique<MarkScratch>(chip_, memory_to_read(device_));
  return *scratch_;
}

// Finds the traces of the results, and reports undefined choices.
void Checker::pass_on(CommandId id, const Operation& op) {
  if (sources_.empty()) return;
  const Memory memory = memory_to_read(device_);
  const MarkNumbers numbers(traces_, sources_);
  const std::vector<TraceId>& traces = numbers.traces();
  for (size_t i = 0; i + 1 < traces.size(); ++i) traces_.root(traces[i]).is_covered = true;
  std::vector<MarkedBytes> marked;
  for (const TracedBytes& source : sources_)
    marked.push_back({source.bytes, numbers.mark(source.trace)});
  MarkFlow flow(chip_, memory, scratch(), marked);
  if (is_order_followed_)
    pass_by_index(op, flow);
  else
    pass_marks(op, flow);
  for (const MarkedChoice& choice : flow.choices())
    report_trace(numbers.trace(choice.mark),
                 actor(id, std::string("chooses by ") + std::string(choice.operand) + ":"));
  std::map<Mark, TraceId> steps;
  for (const auto& [bytes, mark] : flow.take_results()) {
    TraceId& step = steps[mark];
    if (step == 0) step = traces_.pass(numbers.trace(mark), id);
    results_.push_back({bytes, step});
  }
}

// Marks the results of a command that has run. It may not have written all of them: lanes outside a
// mask keep their values.
void Checker::store_traces(CommandId id) {
  std::map<TraceId, std::vector<ByteRange>> by_trace;
  for (const auto& [bytes, trace] : results_) {
    by_trace[trace].push_back(bytes);
    if (bytes.space == Space::global) traces_.root(trace).is_stored = true;
  }
  for (auto& [trace, ranges] : by_trace) {
    sort_and_merge(ranges);
    shadow_.update(ranges, [id, stored = trace](Touched& t, const LaneBytes&) {
      if (t.writer == id) t.trace = stored;
    });
  }
  sources_.clear();
  results_.clear();
}

}  // namespace tputwin::insight
