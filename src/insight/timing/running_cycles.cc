// Places one command after the other, as the simulation of a timeline does.
#include "insight/timing/running_cycles.h"

namespace tputwin::insight {

void RunningCycles::add(Engine engine, uint32_t wait, const Work& work) {
  const size_t own = engine == Engine::dma;
  const std::vector<uint64_t>& others = ends_[1 - own];
  const size_t finished = std::min<size_t>(wait, others.size());
  const uint64_t start = std::max(end_of(own), finished == 0 ? 0 : others[finished - 1]);
  ends_[own].push_back(start + price_of(work, chip_, timing_of(chip_)).cycles());
}

}  // namespace tputwin::insight
