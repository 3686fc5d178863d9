// The order of loads of weights.
#include "bmnet/targets/bm1684x/schedule/prefetch.h"

#include <algorithm>

#include "bmnet/targets/bm1684x/target.h"
#include "insight/timing/commands.h"

namespace tputwin::net::bm1684x {
namespace {

bool loads_weights(const StreamCommand& c, uint64_t neurons) {
  const auto* copy = std::get_if<Copy>(&c.op);
  return copy != nullptr && copy->engine == Engine::dma && !copy->src.is_constant &&
         copy->src.view.space == Space::global && copy->src.view.address < neurons &&
         copy->dst.space == Space::local;
}

// Moves every load of weights before up to `distance` transfers.
void hoist(std::vector<StreamCommand>& commands, uint64_t neurons, int distance) {
  for (size_t i = 0; i < commands.size(); ++i) {
    if (!loads_weights(commands[i], neurons)) continue;
    size_t to = i;
    int passed = 0;
    for (size_t k = i; k-- > 0 && !commands[i].accesses.conflicts_with(commands[k].accesses);) {
      if (commands[k].engine != Engine::dma) continue;
      // Weights stay in their order.
      if (loads_weights(commands[k], neurons) || passed == distance) break;
      to = k;
      ++passed;
    }
    const auto at = commands.begin() + static_cast<ptrdiff_t>(i);
    std::rotate(commands.begin() + static_cast<ptrdiff_t>(to), at, at + 1);
  }
}

uint64_t price(const StreamProgram& program) {
  return insight::predicted_cycles(program.instructions(), chip());
}

}  // namespace

void mirror_groups(std::vector<ProgramPart>& parts, uint32_t lane_bytes) {
  bool is_mirrored = false;
  for (ProgramPart& part : parts) {
    if (!part.group) continue;
    if (is_mirrored)
      for (LocalBuffer& buffer : part.group->schedule.buffers)
        for (uint32_t& address : buffer.address)
          if (address < lane_bytes)
            address = lane_bytes - address -
                      static_cast<uint32_t>(align_up_to(buffer.bytes, chip().eu_bytes));
    is_mirrored = !is_mirrored;
  }
}

uint64_t prefetch_weights(StreamProgram& program, uint64_t neurons) {
  constexpr int kDistances[] = {1, 2, 4, 8};
  const std::vector<StreamCommand> original = program.commands();
  std::vector<StreamCommand> best = original;
  uint64_t least = price(program);
  for (const int distance : kDistances) {
    program.commands() = original;
    hoist(program.commands(), neurons, distance);
    const uint64_t cycles = price(program);
    if (cycles >= least) continue;
    least = cycles;
    best = program.commands();
  }
  program.commands() = std::move(best);
  return least;
}

}  // namespace tputwin::net::bm1684x
