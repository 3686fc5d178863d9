// Pass: prepares the kernel of each instruction that has one, and divides the program into
// sections.
//
// A prepared kernel keeps from run to run how it walks its operands. If its instruction has
// constant operands (fast::constant_operands), it also keeps these packed.
//
// Legal if all bytes of the constant operands come from loads whose global sources the program
// never writes. Then only a writer outside the program can change them, and ExecutablePlan checks
// for that at the beginning of a section. A call of the host may write anywhere, so a section ends
// there.
//
//   before: 0 load weight      after: 0 load weight
//           1 conv2d                  1 conv2d: kernel, constants 0 (loads 0)
#include "machine/optimizer/passes.h"

namespace tputwin {
namespace {

bool is_host_call(const Instruction& instruction) {
  const auto* call = std::get_if<CpuCall>(&instruction.op);
  return call != nullptr && !call->sync;
}

void prepare_kernel(PlanBuilder& plan, uint32_t i, uint32_t section) {
  const ProgramGraph& graph = plan.graph();
  PlanStep& step = plan.step(i);
  if (fast::constant_operands(graph.op(i)).size() == 0) {
    step.kernel = fast::prepare(graph.op(i), plan.memory());
    return;
  }
  const auto& writers = graph.node(i).constant_writers;
  if (writers.empty()) return;
  auto constants = constants_from(graph, writers);
  if (!constants) return;
  step.kernel = fast::prepare(graph.op(i), plan.memory());
  if (step.kernel == nullptr) return;
  std::vector<PlanConstants>& all = plan.parts().constants;
  step.constants = static_cast<uint32_t>(all.size());
  constants->section = section;
  all.push_back(std::move(*constants));
}

}  // namespace

void prepare_kernels(PlanBuilder& plan) {
  const auto program = plan.graph().program();
  uint32_t section = 0;
  for (uint32_t i = 0; i < program.size(); ++i) {
    plan.step(i).begins_section = i == 0 || is_host_call(program[i - 1]);
    section += plan.step(i).begins_section;
    prepare_kernel(plan, i, section);
  }
}

}  // namespace tputwin
