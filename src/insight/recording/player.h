// Replays recordings, entry by entry, on a device with any observers.
#pragma once

#include <memory>
#include <optional>

#include "insight/recording/recording.h"
#include "insight/recording/touched.h"

namespace tputwin::insight::recording {

// Options of a replay. Instruction set and threads are those in force.
struct PlayOptions {
  KernelChoice kernel_choice = KernelChoice::automatic;
  Schedule schedule = Schedule::program;
  uint64_t seed = 1;
};

// Creates a device in the initial state of the recorded one.
Result<std::unique_ptr<Device>> make_device(const Recording& recording, const PlayOptions& options);

// `recording` and `device` must outlive the player; `recording` must also outlive the observers of
// the device. Observers capture the recorded stacks. Under a schedule other than Schedule::program,
// commands run at the next poll, launch or foreign write.
class Player {
 public:
  Player(const Recording& recording, Device& device, Schedule schedule = Schedule::program);
  ~Player();
  Player(const Player&) = delete;

  // Replays the next entry. Returns false if none is left.
  Result<bool> step();
  size_t next() const { return next_; }  // index of the next entry

  // Returns true if the last entry was a command whose results differ from the recorded ones. Valid
  // under Schedule::program only.
  bool differs() const { return differs_; }
  // Returns the CRC-32 of all memory that commands have touched so far.
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
  std::optional<size_t> first_difference;  // entry whose results differ
  // Memory at the end equals the recorded one.
  bool equals = false;
};
// Replays a whole recording.
Result<Replayed> replay(const Recording& recording, Device& device,
                        Schedule schedule = Schedule::program);

// Returns for example "command 3 of softmax: okk_bdc_sub at softmax (softmax.c:21)", followed by
// the operation.
std::string describe_command(const Recording& recording, size_t entry);

}  // namespace tputwin::insight::recording
