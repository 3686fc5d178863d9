// InstructionQueues: one in-order queue per engine, and the numbers that the engines have finished.
// It picks the instruction that runs next.
//
// An instruction may run when the other engine has finished the number it waits for. A CPU call, or
// a number that does not grow, begins a new segment: all engines drain first, and counting starts
// again.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <random>

#include "ops/instruction.h"

namespace tputwin {

// The order in which instructions are picked among the engines. Ids and waits are respected, so
// each order is legal for a correct program.
enum class Schedule : uint8_t {
  program,  // as submitted
  compute_first,
  dma_first,
  shuffled  // seeded
};

class InstructionQueues {
 public:
  InstructionQueues(Schedule schedule, uint64_t seed) : schedule_(schedule), random_(seed) {}

  Schedule schedule() const { return schedule_; }
  void set_schedule(Schedule schedule, uint64_t seed) {
    schedule_ = schedule;
    random_.seed(seed);
  }

  // Queues a copy of an instruction. Numbering goes on from the last drain.
  void submit(Instruction instruction);
  // Queues an instruction, which must exist until it has run or clear() removes it.
  void enqueue(const Instruction& instruction);
  bool empty() const;
  // Removes and returns the instruction that runs next, or nullptr if all engines wait.
  const Instruction* take_next();
  // Returns an instruction that waits. All engines must wait.
  const Instruction& stuck() const;
  // Returns true if the other engine has finished the number that the instruction waits for.
  bool is_ready(const Instruction& instruction) const;

  // Records that an instruction has run. A CPU call restarts the numbers of all engines.
  void finish(const Instruction& instruction);
  // Records that an instruction ran when it was issued, without a queue.
  void finish_issued(const Instruction& instruction);
  // Starts the numbers of all engines again.
  void restart();
  // Makes the numbers of instructions that are queued next follow the finished numbers.
  void continue_from_finished() { issued_ = finished_; }
  // Drops all instructions.
  void clear();

 private:
  static constexpr size_t kEngines = 3;
  // An array with one element per engine, indexed by Engine.
  template <class T>
  struct PerEngine : std::array<T, kEngines> {
    T& operator[](Engine engine) {
      return std::array<T, kEngines>::operator[](static_cast<size_t>(engine));
    }
    const T& operator[](Engine engine) const {
      return std::array<T, kEngines>::operator[](static_cast<size_t>(engine));
    }
  };
  struct Queued {
    uint64_t order, segment;
    const Instruction* instruction;
  };
  // The first instruction of `segment` restarts the count of `engine` at 1.
  struct Restart {
    uint64_t segment;
    Engine engine;
  };
  std::optional<Engine> pick();

  Schedule schedule_;
  std::mt19937_64 random_;
  // Submitted instructions; queues point into it.
  std::deque<Instruction> owned_;
  PerEngine<std::deque<Queued>> queues_;
  std::deque<Restart> restarts_;
  uint64_t order_ = 0, segment_ = 0;
  PerEngine<uint32_t> issued_{}, finished_{};  // newest number of each engine
};

}  // namespace tputwin
