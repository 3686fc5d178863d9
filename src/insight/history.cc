// Orders commands by their numbers and waits.
#include "insight/history.h"

#include <algorithm>

namespace tputwin::insight {
namespace {

constexpr size_t kRecent = 256;  // commands whose operations are kept

}  // namespace

void History::begin_launch(std::string_view name, uint64_t number, StackId stack) {
  launches_.push_back({std::string(name), number, stack});
  commands_in_launch_ = 0;
  barrier();
}

void History::barrier() {
  for (auto& clock : finished_) clock.fill(newest());
}

// Orders an instruction as Device does: a CPU call, or a number that does not grow, waits for all
// earlier commands.
void History::order(const Instruction& instruction) {
  const size_t engine = index(instruction.engine);
  std::vector<Numbered>& own = issued_[engine];
  const bool restarts = instruction.id != 0 && !own.empty() && instruction.id <= own.back().number;
  if (instruction.engine == Engine::cpu || restarts) {
    barrier();
    for (auto& numbers : issued_) numbers.clear();
    return;
  }
  if (instruction.wait == 0) return;
  const size_t other = index(instruction.engine == Engine::dma ? Engine::compute : Engine::dma);
  const auto after =
      std::ranges::upper_bound(issued_[other], instruction.wait, {}, &Numbered::number);
  if (after == issued_[other].begin()) return;
  CommandId& finished = finished_[engine][other];
  finished = std::max(finished, std::prev(after)->id);
}

CommandId History::add(const Instruction& instruction, std::string_view call, StackId stack,
                       std::string_view layer) {
  order(instruction);
  commands_.push_back({.call = call,
                       .operation = name(instruction.op),
                       .layer = layer,
                       .stack = stack,
                       .launch = current_launch(),
                       .number = ++commands_in_launch_,
                       .engine = instruction.engine});
  if (instruction.id != 0) issued_[index(instruction.engine)].push_back({instruction.id, newest()});
  recent_.push_back({newest(), instruction.op});
  if (recent_.size() > kRecent) recent_.pop_front();
  return newest();
}

CommandId History::add_host(StackId stack, bool is_pointer) {
  commands_.push_back({.call = {}, .operation = {}, .stack = stack, .is_pointer = is_pointer});
  return newest();
}

const Operation* History::operation(CommandId id) const {
  const auto found = std::ranges::lower_bound(recent_, id, {}, &Recent::id);
  return found != recent_.end() && found->id == id ? &found->operation : nullptr;
}

std::string History::text(CommandId id) const {
  const Operation* known = operation(id);
  return known != nullptr ? describe(*known) : std::string(at(id).operation);
}

}  // namespace tputwin::insight
