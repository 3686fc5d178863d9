// Sums the costs of instructions, and simulates the clocks of both engines over a program.
#include "machine/program_cost.h"

#include <algorithm>
#include <map>

namespace tputwin {
namespace {

// Counts the cycles of both engines. An instruction starts when its engine is free and the
// instruction of the other engine that it waits for is done. A CPU call waits for both engines and
// restarts their numbering.
class EngineClocks {
 public:
  void add(const Instruction& instruction, uint64_t cycles) {
    if (instruction.engine == Engine::cpu) return join();
    const bool is_dma = instruction.engine == Engine::dma;
    Clock &own = is_dma ? dma_ : compute_, &other = is_dma ? compute_ : dma_;
    const uint64_t start = std::max(own.free_at, other.finish_of(instruction.wait));
    own.free_at = start + cycles;
    own.finished[instruction.id] = own.free_at;
  }
  uint64_t end() const { return std::max(compute_.free_at, dma_.free_at); }

 private:
  struct Clock {
    uint64_t free_at = 0;
    std::map<uint32_t, uint64_t> finished;  // by instruction number
    uint64_t finish_of(uint32_t id) const {
      const auto it = finished.find(id);
      return it == finished.end() ? 0 : it->second;
    }
  };
  void join() {
    const uint64_t now = end();
    compute_ = dma_ = {now, {}};
  }
  Clock compute_, dma_;
};

}  // namespace

void add(Cost& sum, const Cost& cost) {
  sum.compute_cycles += cost.compute_cycles;
  sum.conflict_cycles += cost.conflict_cycles;
  sum.setup_cycles += cost.setup_cycles;
  sum.macs += cost.macs;
  sum.local_bytes += cost.local_bytes;
  sum.global_bytes += cost.global_bytes;
}

ProgramCost program_cost(std::span<const Instruction> program, const Chip& chip) {
  ProgramCost result;
  std::map<std::string, OperationCost, std::less<>> by_name;
  EngineClocks clocks;
  for (const Instruction& instruction : program) {
    Cost price = cost(instruction.op, chip);
    std::string key(name(instruction.op));
    auto& row = by_name.try_emplace(key, OperationCost{key, instruction.engine}).first->second;
    ++row.count;
    add(row.cost, price);
    add(result.cost, price);
    clocks.add(instruction, price.cycles());
    if (instruction.engine == Engine::compute) result.compute_cycles += price.cycles();
    if (instruction.engine == Engine::dma) result.dma_cycles += price.cycles();
    if (auto* call = std::get_if<CpuCall>(&instruction.op); call && !call->sync)
      result.cpu_operators.push_back(call->name);
  }
  result.instructions = program.size();
  result.elapsed_cycles = clocks.end();
  for (auto& [key, row] : by_name) result.operations.push_back(std::move(row));
  return result;
}

}  // namespace tputwin
