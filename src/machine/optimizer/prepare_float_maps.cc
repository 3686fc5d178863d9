// Pass, BM1684X: prepares the kernel of floating-point arithmetic on two tensors, if both are
// loaded and its result is only stored. fuse_dma then fuses the moves, so that the kernel works in
// global memory. There elements are contiguous; a plane of one element has a cache line of its own
// in a lane. Other such instructions stay for group_lanes.
//
// Legal for all, since the kernel computes what its instruction does.
//
//   before: 0 load a                     after: 0 load a
//           1 load b                            1 load b
//           2 c = add(a, b)                     2 c = add(a, b): kernel
//           3 store c                           3 store c
#include <algorithm>

#include "machine/optimizer/passes.h"

namespace tputwin {
namespace {

// Returns true if instruction `i` reads the results of two loads.
bool reads_two_loads(const ProgramGraph& graph, uint32_t i) {
  const auto& writers = graph.node(i).writers;
  return writers.size() == 2 && std::ranges::all_of(writers, [&](uint32_t writer) {
           return writer != ProgramGraph::kBefore && load_source(graph.op(writer)) != nullptr;
         });
}

// Returns true if only a store reads the results of instruction `i`.
bool is_only_stored(const ProgramGraph& graph, uint32_t i) {
  const auto& readers = graph.node(i).readers;
  return readers.size() == 1 && graph.feeds_only(i, readers[0]) &&
         result_of(graph.op(readers[0])).space == Space::global;
}

}  // namespace

void prepare_float_maps(PlanBuilder& plan) {
  const ProgramGraph& graph = plan.graph();
  for (uint32_t i = 0; i < graph.size(); ++i) {
    if (!std::holds_alternative<FloatArithmetic>(graph.op(i)) || plan.step(i).is_fused()) continue;
    if (reads_two_loads(graph, i) && is_only_stored(graph, i))
      plan.step(i).kernel = fast::prepare_float_map(graph.op(i), plan.memory());
  }
}

}  // namespace tputwin
