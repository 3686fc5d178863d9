// Pass, BM1880: fuses a ReLU, that is an in-place maximum with a constant, into the kernel whose
// results it clamps. The kernel stores the clamped values directly. On the other chips ReLU is a
// field of the command, which the decoder reads.
//
// Legal if the maximum covers exactly the results of the kernel, and no other instruction reads
// them before it. Reads after it see the clamped values either way.
//
//   before: 1 conv2d: kernel        after: 1 conv2d: kernel
//           2 max(out, 0)                  2 max(out, 0): fused into 1
#include "machine/optimizer/passes.h"
#include "machine/optimizer/pointwise.h"

namespace tputwin {
namespace {

// Returns the instruction that wrote all that `max` reads, if `max` clamps exactly its results and
// alone reads them.
std::optional<uint32_t> clamped_instruction(const ProgramGraph& graph, uint32_t i,
                                            const Elementwise& max) {
  const auto& writers = graph.node(i).writers;
  if (writers.size() != 1 || writers.front() == ProgramGraph::kBefore) return {};
  const ProgramGraph::Node& written = graph.node(writers.front());
  if (written.readers != std::vector{i} || !written.constant_readers.empty()) return {};
  if (low_plane(result_of(graph.op(writers.front()))) != low_plane(max.a)) return {};
  return writers.front();
}

}  // namespace

void fuse_relu(PlanBuilder& plan) {
  for (uint32_t i = 0; i < plan.graph().size(); ++i) {
    const Elementwise* max = with_constant(plan.graph().op(i), Elementwise::Kind::max);
    if (max == nullptr || max->out != max->a) continue;
    const auto writer = clamped_instruction(plan.graph(), i, *max);
    if (!writer) continue;
    const auto kernel = plan.kernel_step(*writer);
    if (kernel && plan.step(*kernel).kernel->raise_to(max->constant))
      plan.step(i).fused_into = *kernel;
  }
}

}  // namespace tputwin
