// Replays recordings, entry by entry, on a device that somebody may observe.
#pragma once

#include <memory>
#include <optional>

#include "insight/recording/recording.h"
#include "insight/recording/touched.h"

namespace tputwin::insight::recording {

// How a recording is repeated. Instruction sets and threads are those in force.
struct PlayOptions {
  Body body = Body::automatic;
  Schedule schedule = Schedule::program;
  uint64_t seed = 1;
};

// A device as the recorded one was when it was new.
Result<std::unique_ptr<Device>> make_device(const Recording& recording, const PlayOptions& options);

// Both outlive the player, and the recording the observers of the device. Stacks that observers
// capture are those of the recording. Under another schedule than the program's, commands run when
// the next poll, launch or foreign byte asks for it.
class Player {
 public:
  Player(const Recording& recording, Device& device, Schedule schedule = Schedule::program);
  ~Player();
  Player(const Player&) = delete;

  // Does the next entry; none is left: false.
  Result<bool> step();
  size_t next() const { return next_; }  // place of the next entry

  // Of the newest step, under the schedule of the program: whether it was a command, and left other
  // bytes than it did when it was recorded.
  bool differs() const { return differs_; }
  // CRC-32 of all memory that commands touched so far.
  uint32_t check() const { return touched_.check(memory_); }

 private:
  Status play(const Poke& poke);
  Status play(const Command& command);
  Status play(const Event& event);
  StackId stack(uint32_t number) const { return number == 0 ? 0 : stacks_[number - 1]; }

  const Recording& recording_;
  Device& device_;
  const Schedule schedule_;
  const Memory memory_;
  std::vector<StackId> stacks_;
  TouchedPages touched_;
  size_t next_ = 0;
  bool differs_ = false;
};

struct Replayed {
  size_t commands = 0, launches = 0;
  std::optional<size_t> first_difference;  // entry whose command left other bytes
  bool equals = false;                     // memory at the end, with the recorded one
};
// All of it.
Result<Replayed> replay(const Recording& recording, Device& device,
                        Schedule schedule = Schedule::program);

// "command 3 of softmax: okk_bdc_sub at softmax (softmax.c:21)", and the operation behind it.
std::string describe_command(const Recording& recording, size_t entry);

}  // namespace tputwin::insight::recording
