// Emits the commands of a planned group for the BM1684X.
#pragma once

#include "bmnet/groups/partition.h"
#include "bmnet/lowering/positions.h"
#include "bmnet/targets/bm1684x/stream_program.h"

namespace tputwin::net::bm1684x {

// Where a net's memories begin: offsets of global memory.
struct Memories {
  uint64_t weights = 0, neurons = 0;
};

void emit_group(StreamProgram& program, const GroupSchedule& schedule,
                const TensorPositions& tensors, const WeightOffsets& weights,
                const Memories& memories);

// Prices of layer groups, by predicted time (docs/timing.md).
class StreamPricer final : public Pricer {
 public:
  // `lanes` must outlive this object.
  explicit StreamPricer(const LocalMemory& lanes) : Pricer(lanes) {}
  Result<PricedGroup> price(GroupSchedule schedule, uint64_t limit) override;
};

}  // namespace tputwin::net::bm1684x
