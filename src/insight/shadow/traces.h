// Traces: where undefined bytes, NaN and infinities come from, and which commands passed them on.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "insight/finding.h"
#include "insight/history.h"

namespace tputwin::insight {

using TraceId = uint32_t;  // position among the steps, from 1; 0: none

// The first command that read undefined bytes, or that made NaN or infinity.
struct Root {
  FindingKind kind;
  CommandId command;
  CommandId other = 0;  // writer of the undefined bytes, if known
  Place place = {};
  std::string note = {};
  std::string missing = {};  // empty: the remedy of the kind
  // The history may have dropped the operation when the root is reported.
  std::string operation = {};
  std::vector<std::string> tensors = {};
  uint32_t launch = 0;
  bool is_meant = false;      // Finding::is_meant
  bool is_passed_on = false;  // some result depends on it
  bool is_stored = false;     // some result is in global memory
  bool is_covered = false;    // some command read another trace, which may have taken its place
  bool is_reported = false;
};

class Traces {
 public:
  // Returns the trace of a new root. `key` is equal for roots that look equal to a reader. Of many
  // such roots the last one stands for all later ones, so that loops do not fill memory.
  using Key = std::tuple<FindingKind, uint64_t, uint64_t, std::string>;
  TraceId add_root(Root root, const Key& key);
  // Returns the trace of results of `command` that depend on `from`.
  TraceId pass(TraceId from, CommandId command);

  Root& root(TraceId trace) { return roots_[steps_[trace - 1].root]; }
  std::vector<Root>& roots() { return roots_; }
  // Returns true if a value that depends on both keeps `a`: the one that was not reported yet, then
  // the older root, then the shorter way.
  bool comes_first(TraceId a, TraceId b) const {
    const auto key = [&](TraceId trace) {
      const uint32_t root = steps_[trace - 1].root;
      return std::tuple(roots_[root].is_reported, root, trace);
    };
    return key(a) < key(b);
  }
  // Returns the commands after the root that passed a trace on, in their order.
  std::vector<CommandId> way(TraceId trace) const;

 private:
  struct Step {
    uint32_t root;  // index
    TraceId from;   // 0: this is the root
    CommandId command;
  };
  struct Equal {
    uint32_t count = 0;
    TraceId last = 0;
  };
  std::vector<Root> roots_;
  std::vector<Step> steps_;
  std::map<Key, Equal> equal_;
};

}  // namespace tputwin::insight
