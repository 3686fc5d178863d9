// Checks a program, runs the passes, and makes the plan.
#include "machine/optimizer/optimize.h"

#include <array>

#include "machine/optimizer/passes.h"
#include "ops/operation.h"

namespace tputwin {
namespace {

// Checks that program order satisfies every wait.
class WaitCheck {
 public:
  bool passes(const Instruction& instruction) {
    const Engine other = instruction.engine == Engine::compute ? Engine::dma : Engine::compute;
    if (instruction.wait > finished(other)) return false;
    if (instruction.engine == Engine::cpu)
      finished_ = {};
    else if (instruction.id != 0)
      finished(instruction.engine) = instruction.id;
    return true;
  }

 private:
  uint32_t& finished(Engine engine) { return finished_[static_cast<size_t>(engine)]; }
  std::array<uint32_t, 3> finished_{};  // the last number of each engine
};

enum class Verdict : uint8_t { legal, warning, error };

Verdict check_rules(const Operation& op, const PlanTarget& target) {
  Verdict verdict = Verdict::legal;
  for (const Status& status :
       {check(op, target.chip), check_bounds(op, target.chip, target.memory.global.size())}) {
    if (status.ok()) continue;
    if (status.error().info().level != Level::warning) return Verdict::error;
    verdict = Verdict::warning;
  }
  return verdict;
}

// Returns the instructions that break a rule of level warning. Returns nullopt if the program can
// only run instruction by instruction.
std::optional<std::vector<uint32_t>> check_program(std::span<const Instruction> program,
                                                   const PlanTarget& target) {
  WaitCheck waits;
  std::vector<uint32_t> warnings;
  for (uint32_t i = 0; i < program.size(); ++i) {
    if (!waits.passes(program[i])) return {};
    if (program[i].engine == Engine::cpu) continue;
    const Verdict verdict = check_rules(program[i].op, target);
    if (verdict == Verdict::error) return {};
    if (verdict == Verdict::warning) warnings.push_back(i);
  }
  return warnings;
}

}  // namespace

std::unique_ptr<ExecutablePlan> optimize(std::span<const Instruction> program,
                                         const PlanTarget& target) {
  const auto warnings = check_program(program, target);
  if (!warnings) return nullptr;
  const ProgramGraph graph(program, target.chip);
  PlanBuilder plan(graph, target.memory);
  for (const uint32_t i : *warnings) plan.step(i).has_warning = true;
  run_passes(plan);
  return std::make_unique<ExecutablePlan>(program, std::move(plan.parts()), target.memory,
                                          target.pages);
}

}  // namespace tputwin
