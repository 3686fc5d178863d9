// Partition of kernels into layer groups, and the cut of each group, by their predicted times
// (docs/timing.md).
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "bmnet/groups/group_schedule.h"

namespace tputwin::net {

struct PartitionOptions {
  // false: every kernel is a group of its own
  bool has_groups = true;
  bool has_overlap = true;  // transfers run in parallel with compute
  int max_kernels = 12;     // maximum per group, before groups are joined
  bool joins = false;       // neighbouring groups become one of any length if that is cheaper
  int cuts = 3;             // of a group that are tried with overlap, from coarse to fine
  // Tries groups whose weights are loaded so many steps ahead.
  std::vector<int> weights_ahead = {1};
};

// Uses of tensors outside a group, as the net defines them.
struct TensorUses {
  // Returns true if a kernel after `last` (index into the whole list) or another reader needs the
  // tensor.
  std::function<bool(const std::string& tensor, size_t last)> is_needed_after;
  // Returns a name that tensors share if their bytes overlap.
  std::function<std::string(const std::string& tensor)> storage;
};

struct PricedGroup {
  GroupSchedule schedule;
  uint64_t cycles = 0;        // predicted, without a launch
  uint64_t global_bytes = 0;  // between global and local memory
  std::string reason;         // why this cut was chosen
};

// The costs of a target.
class Pricer {
 public:
  explicit Pricer(const LocalMemory& memory) : memory(memory) {}
  virtual ~Pricer() = default;
  // Predicts the cycles and bytes of a plan. It may give up a plan that takes `limit` cycles or
  // more: then the cycles are kTooMany.
  static constexpr uint64_t kTooMany = ~uint64_t{0};
  virtual Result<PricedGroup> price(GroupSchedule schedule, uint64_t limit) = 0;

  const LocalMemory& memory;
};

// Partitions consecutive kernels into groups, in order. `first` is the index of kernels[0] in the
// whole list.
Result<std::vector<PricedGroup>> partition(const std::vector<const TiledKernel*>& kernels,
                                           size_t first, const TensorUses& uses,
                                           const PartitionOptions& options, Pricer& pricer);

}  // namespace tputwin::net
