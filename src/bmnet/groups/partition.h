// Which kernels form a layer group, and how each group is cut: by the machine's own prices.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "bmnet/groups/emit_group.h"
#include "chip/chip.h"

namespace tputwin::net {

struct PartitionOptions {
  bool has_groups = true;   // else every kernel is a group of its own
  bool has_overlap = true;  // transfers beside the commands of the tensor engine
  int max_kernels = 12;     // of a group
};

// What the net says about the tensors around a group.
struct TensorUses {
  // True if a kernel behind `last` (index into the whole list) or anybody else needs the tensor.
  std::function<bool(const std::string& tensor, size_t last)> is_needed_after;
  // Tensors whose bytes overlap share this name.
  std::function<std::string(const std::string& tensor)> storage;
};

struct PricedGroup {
  GroupPlan plan;
  uint64_t cycles = 0;        // predicted
  uint64_t global_bytes = 0;  // between global and local memory
  std::string reason;         // of the cut
};

class Pricer {
 public:
  explicit Pricer(const Chip& chip) : chip_(chip) {}
  // Predicted cycles and bytes of a plan.
  Result<PricedGroup> price(GroupPlan plan);

 private:
  const Chip& chip_;
  Program program_;
};

// Groups for a run of kernels, in order. `first`: index of its first kernel in the whole list.
Result<std::vector<PricedGroup>> partition(const std::vector<const Kernel*>& kernels, size_t first,
                                           const TensorUses& uses, const PartitionOptions& options,
                                           Pricer& pricer);

}  // namespace tputwin::net
