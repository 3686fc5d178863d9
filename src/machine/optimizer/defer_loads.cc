// Pass: defers loads that only packed constants need, but whose bytes are live-out. Such loads are
// those of the last layers, whose weights are still in local memory when the program ends.
//
// Runs skip the load like an elided one. DeferredLoads executes it when an observer, another
// program or the host could see its bytes, or before its source is written. Legal if
// - the source is unchanged constant data: it is also a source of constants that need the load, so
//   runs notice when it changes;
// - the load always writes its whole footprint, so that the live-out bytes are known;
// - no instruction reads bytes from before the program, because these may be those of the load;
// - the program does not go on after a call of the host (then no bytes are live-out here).
//
//   before: 0 load weight                     after: 0 load weight: deferred, constants 0 need it
//           1 conv2d: kernel, constants 0            1 conv2d: kernel, constants 0
#include <algorithm>

#include "machine/optimizer/passes.h"

namespace tputwin {
namespace {

// Returns true if the source of the load is also a source of one of the constants.
bool is_source_of(const PlanBuilder& plan, const GlobalRange& source,
                  const std::vector<uint32_t>& constants) {
  const auto is_same = [&](const GlobalRange& other) {
    return other.begin == source.begin && other.bytes == source.bytes;
  };
  return std::ranges::any_of(constants, [&](uint32_t i) {
    return std::ranges::any_of(plan.parts().constants[i].sources, is_same);
  });
}

void add(DeferredLoads::Loads& loads, const Operation& load, const GlobalRange& source,
         const std::vector<ByteRange>& live_out) {
  loads.operations.push_back(load);
  loads.sources.push_back(source);
  for (const ByteRange& r : live_out)
    loads.live_out.push_back(
        {r.lane, static_cast<uint32_t>(r.begin), static_cast<uint32_t>(r.end)});
}

}  // namespace

void defer_loads(PlanBuilder& plan) {
  const ProgramGraph& graph = plan.graph();
  if (graph.reads_bytes_from_before()) return;
  DeferredLoads::Loads& deferred = plan.parts().deferred;
  for (uint32_t i = 0; i < graph.size(); ++i) {
    const ProgramGraph::Node& node = graph.node(i);
    if (node.is_overwritten || node.live_out.empty() || !node.writes_whole_footprint) continue;
    const auto source = graph.constant_source(i);
    auto needed_by = constants_that_need(plan, i);
    if (!source || !needed_by || !is_source_of(plan, *source, *needed_by)) continue;
    plan.step(i).is_elided = plan.step(i).is_deferred = true;
    plan.step(i).needed_by = std::move(*needed_by);
    add(deferred, graph.op(i), *source, node.live_out);
  }
  deferred.live_out.shrink_to_fit();
}

}  // namespace tputwin
