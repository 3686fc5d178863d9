// The plan under construction, and questions that several passes ask.
#include "machine/optimizer/plan_builder.h"

namespace tputwin {

PlanBuilder::PlanBuilder(const ProgramGraph& graph, const Memory& memory)
    : graph_(graph), memory_(memory) {
  parts_.steps.resize(graph.size());
  parts_.written_global = graph.written_global();
}

std::optional<uint32_t> PlanBuilder::kernel_step(uint32_t i) const {
  if (step(i).kernel != nullptr) return i;
  if (!step(i).is_fused()) return {};
  return step(i).fused_into;
}

std::optional<PlanConstants> constants_from(const ProgramGraph& graph,
                                            std::span<const uint32_t> writers) {
  PlanConstants constants;
  for (const uint32_t writer : writers) {
    const auto source = graph.constant_source(writer);
    if (!source) return {};
    constants.loads.push_back(writer);
    constants.sources.push_back(*source);
  }
  return constants;
}

std::optional<std::vector<uint32_t>> constants_that_need(const PlanBuilder& plan, uint32_t load) {
  if (load_source(plan.graph().op(load)) == nullptr) return {};
  const ProgramGraph::Node& node = plan.graph().node(load);
  std::vector<uint32_t> needed_by;
  for (const uint32_t reader : node.readers)
    needed_by.push_back(plan.step(reader).epilogue_constants);
  for (const uint32_t reader : node.constant_readers)
    needed_by.push_back(plan.step(reader).constants);
  for (const uint32_t constants : needed_by)
    if (constants == PlanStep::kNone) return {};
  return needed_by;
}

}  // namespace tputwin
