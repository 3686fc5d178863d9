// Queues instructions and picks among them.
#include "machine/instruction_queues.h"

#include <algorithm>

namespace tputwin {
namespace {

constexpr Engine kAllEngines[] = {Engine::compute, Engine::cpu, Engine::dma};

// Returns the engine that an instruction of this engine may wait for.
constexpr Engine waited_for(Engine engine) {
  return engine == Engine::compute ? Engine::dma : Engine::compute;
}

}  // namespace

void InstructionQueues::submit(Instruction instruction) {
  owned_.push_back(std::move(instruction));
  enqueue(owned_.back());
}

// Adds an instruction to the queue of its engine. All instructions of a segment run before those of
// the next segment.
void InstructionQueues::enqueue(const Instruction& instruction) {
  const Engine engine = instruction.engine;
  if (engine == Engine::cpu) {
    ++segment_;
    queues_[engine].push_back({order_++, segment_++, &instruction});
    issued_.fill(0);
    return;
  }
  if (instruction.id != 0) {
    if (instruction.id <= issued_[engine]) restarts_.push_back({++segment_, engine});
    issued_[engine] = instruction.id;
  }
  queues_[engine].push_back({order_++, segment_, &instruction});
}

bool InstructionQueues::empty() const {
  return std::ranges::all_of(queues_, [](const auto& queue) { return queue.empty(); });
}

bool InstructionQueues::is_ready(const Instruction& instruction) const {
  return instruction.wait == 0 || instruction.wait <= finished_[waited_for(instruction.engine)];
}

// Returns the engine that runs next. Its first instruction belongs to the oldest segment and has no
// wait left. Returns nullopt if all engines wait.
std::optional<Engine> InstructionQueues::pick() {
  uint64_t segment = UINT64_MAX;
  for (const auto& queue : queues_)
    if (!queue.empty()) segment = std::min(segment, queue.front().segment);
  for (; !restarts_.empty() && restarts_.front().segment <= segment; restarts_.pop_front())
    finished_[restarts_.front().engine] = 0;
  std::array<Engine, kEngines> ready;
  size_t count = 0;
  for (const Engine engine : kAllEngines) {
    const auto& queue = queues_[engine];
    if (queue.empty() || queue.front().segment != segment) continue;
    if (is_ready(*queue.front().instruction)) ready[count++] = engine;
  }
  if (count == 0) return std::nullopt;
  const auto end = ready.begin() + static_cast<ptrdiff_t>(count);
  switch (schedule_) {
    case Schedule::program:
      return *std::min_element(ready.begin(), end, [&](Engine a, Engine b) {
        return queues_[a].front().order < queues_[b].front().order;
      });
    case Schedule::compute_first:
      return ready[0];
    case Schedule::dma_first:
      return ready[count - 1];
    case Schedule::shuffled:
      return ready[random_() % count];
  }
  return ready[0];
}

const Instruction* InstructionQueues::take_next() {
  const auto engine = pick();
  if (!engine) return nullptr;
  const Instruction* next = queues_[*engine].front().instruction;
  queues_[*engine].pop_front();
  return next;
}

const Instruction& InstructionQueues::stuck() const {
  const auto& compute = queues_[Engine::compute];
  return *(compute.empty() ? queues_[Engine::dma] : compute).front().instruction;
}

void InstructionQueues::finish(const Instruction& instruction) {
  if (instruction.engine == Engine::cpu)
    finished_.fill(0);
  else if (instruction.id != 0)
    finished_[instruction.engine] = instruction.id;
}

void InstructionQueues::finish_issued(const Instruction& instruction) {
  issued_[instruction.engine] = finished_[instruction.engine] = instruction.id;
}

void InstructionQueues::restart() {
  issued_.fill(0);
  finished_.fill(0);
}

void InstructionQueues::clear() {
  for (auto& queue : queues_) queue.clear();
  restarts_.clear();
  owned_.clear();
}

}  // namespace tputwin
