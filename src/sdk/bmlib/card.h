// Card: one simulated chip with its memory, its blocks and its queue of launches. The handles that
// are open on it share it.
//
// Order: an operation on the chip (a launch, a copy, an allocation) takes a ticket, and tickets are
// served one after the other. The card's own thread serves launches; the calling thread serves the
// others.
#pragma once

#include <bmlib_runtime.h>
#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "insight/symbols.h"
#include "insight/timing/timeline_recorder.h"
#include "insight/watch.h"
#include "memory/allocator.h"
#include "sdk/okkernel/run_kernel.h"
#include "sdk/okkernel/running_launch.h"

namespace tputwin::bmlib {

inline constexpr int kHeaps = 3;

// Called after every launch that finished; see bmlib_set_api_dbg_callback.
using LaunchCallback = void (*)(int, int, int, const char*);
extern std::atomic<LaunchCallback> launch_callback;

// Sets the chip of devices opened from now on, unless TPUTWIN_CHIP names one. The BM1684 at first.
void use_chip(const Chip& chip);

using Clock = std::chrono::steady_clock;

// Longest run of launches through a handle, in milliseconds; 0: no limit.
using TimeLimit = std::atomic<int>;

// A kernel, or a net of bmrt, that will run, runs, or has run.
struct Launch {
  const char* kind = "kernel";
  std::string name;
  std::function<okk::Outcome(Device&)> run;
  std::thread::id caller = std::this_thread::get_id();
  std::vector<insight::NamedAddress> arguments = {};  // if there is an observer
  // The members below belong to the card.
  std::shared_ptr<const TimeLimit> limit;  // of the handle
  okk::RunControl control;
  uint64_t ticket = 0;
  uint64_t number = 0;         // number of the launch on the device, from 1
  Clock::time_point begun;     // set when it runs
  bool is_stopping = false;    // a thread is ending it
  insight::StackId stack = 0;  // of the caller, if there is an observer
  bool done = false;
  okk::Outcome outcome;
};

struct Counters {
  uint64_t copies_in = 0, copies_out = 0, launches = 0, finished = 0;
  // Predicted times of the chip under TPUTWIN_TIME=chip (docs/timing.md); else 0.
  double launch_seconds = 0, last_launch_seconds = 0;
};

class Card : public std::enable_shared_from_this<Card> {
 public:
  struct Block {
    uint64_t bytes;
    uint32_t heap;
  };

  // Returns the card of a device id: the open one, or a new one. There are `count` devices, or as
  // many as a process may have.
  static Result<std::shared_ptr<Card>> open(int id, int count = Card::count());
  // Returns a card of a chip without a device id.
  static Result<std::shared_ptr<Card>> create(const Chip& chip);
  static int count();  // ids are below this number

  Card(int id, std::unique_ptr<Device> chip);
  ~Card();
  Card(const Card&) = delete;
  Card& operator=(const Card&) = delete;

  int id() const { return id_; }
  pid_t process() const { return process_; }  // the process that opened it
  const Chip& chip() const { return chip_->chip(); }
  // For observers that read the device they observe.
  const Device& device() const { return *chip_; }
  // Device memory from offset 0 on.
  const uint8_t* memory() const { return contents().data(); }
  uint64_t memory_bytes() const { return contents().size(); }
  // Returns the byte at an offset of device memory. Call mark_written before a write to it.
  uint8_t* at(uint64_t offset) { return chip_->memories().prepare_write(offset, 0); }
  // The last bytes belong to the controller.
  uint64_t reserved_address() const { return chip().global_base + memory_bytes() - kReserved; }

  // Queues a launch. On a lost device it fails at once.
  void submit(const std::shared_ptr<Launch>& launch);
  // Waits for the end of a launch. Threads that wait for a launch, or for their ticket, stop a
  // launch that exceeds its time limit.
  void wait(const std::shared_ptr<Launch>& launch);
  void wait_all();  // launches made so far

  // Calls `function` when all earlier operations are finished; no other operation runs at that
  // time.
  template <class Function>
  auto exclusively(Function function) {
    Exclusive exclusive(*this);
    return function();
  }

  // Sets the kernels of later launches.
  void set_kernel_choice(KernelChoice kernel_choice) {
    exclusively([&] { chip_->set_kernel_choice(kernel_choice); });
  }
  void set_schedule(Schedule schedule, uint64_t seed) {
    exclusively([&] { chip_->set_schedule(schedule, seed); });
  }

  // Replaces the observer of later launches; nullptr: none.
  void watch(Observer* before, Observer* observer) {
    exclusively([&] {
      if (before != nullptr) chip_->observers().remove(before);
      if (observer != nullptr) chip_->observers().add(observer);
      if (observer != nullptr) is_watched_ = true;
    });
  }

  // For use inside exclusively().
  // Notifies checks of operations of the host.
  void notify(const DeviceEvent& event) { chip_->observers().notify(event); }
  uint8_t* mark_written(uint64_t offset, uint64_t bytes) {
    return chip_->memories().prepare_write(offset, bytes);
  }
  GlobalMemory& for_mapping(uint64_t offset, uint64_t bytes) {
    return chip_->memories().prepare_mapping(offset, bytes);
  }
  // Begins, and cover() ends, a time in which programs may write to this memory.
  void expose(uint64_t offset, uint64_t bytes) { chip_->memories().expose_global(offset, bytes); }
  void cover(uint64_t offset, uint64_t bytes) { chip_->memories().cover_global(offset, bytes); }
  Result<uint64_t> allocate(uint64_t bytes, uint32_t heap);  // device address
  Status free(uint64_t address);
  // Returns true if a range is inside one block.
  bool allocated(uint64_t address, uint64_t bytes) const;
  uint64_t used_bytes(uint32_t heap) const;
  uint64_t allocatable_bytes() const { return memory_bytes() - kReserved; }

  Counters counters() const;
  bool predicts_time() const { return chip_time_ != nullptr; }
  void count_copies(uint64_t in, uint64_t out);
  bool busy() const;
  // Returns true if a launch on the device could not be stopped. Its memory can still be read and
  // written.
  bool is_lost() const;
  // Makes waiting threads check a time limit that has changed.
  void reconsider_limits();

  std::atomic<int> clock_mhz = 550;  // last argument of bm_set_clk_tpu_freq
  std::vector<uint8_t> table;        // last argument of bmkernel_load_lookup_table

 private:
  static constexpr uint64_t kReserved = uint64_t{1} << 20;

  // While it exists, the holder's ticket is being served.
  class Exclusive {
   public:
    explicit Exclusive(Card& card);
    ~Exclusive();

   private:
    Card& card_;
  };

  const GlobalMemory& contents() const { return chip_->memories().read_global(); }
  void work();
  std::pair<okk::Outcome, double> run(Launch& launch);  // and its predicted seconds
  double predicted_seconds();                           // of the launch that ended
  void serve_next();                                    // with mutex_
  okk::LaunchLabel label(const Launch& launch) const;
  Error timeout_error(const Launch& launch, std::string_view what) const;
  Error lost_error(const Launch& launch) const;

  // ---- card_limits.cc; all with mutex_ ----
  using Lock = std::unique_lock<std::mutex>;
  // Waits until holds(), and stops launches that exceed their time limit.
  void wait_until(Lock& lock, const std::function<bool()>& holds);
  std::optional<Clock::time_point> end_of_running() const;
  std::optional<Clock::time_point> end_of_patience(const Launch& launch,
                                                   Clock::time_point start) const;
  bool wait_or_end_running(Lock& lock, std::optional<Clock::time_point> patience);
  void stop(Lock& lock, const std::shared_ptr<Launch>& launch);
  void lose(const std::shared_ptr<Launch>& launch);
  void cancel(const std::shared_ptr<Launch>& launch);
  void finish(Launch& launch, okk::Outcome outcome);
  void notify_begun(const Launch& launch);
  void name_arguments(const Launch& launch);
  void notify_synced(uint64_t ticket);

  const int id_;
  const pid_t process_;
  const std::unique_ptr<Device> chip_;
  const std::unique_ptr<insight::TimelineRecorder> chip_time_;  // only under TPUTWIN_TIME=chip
  const insight::Watchers watchers_;
  // An observer exists or existed: waits notify it.
  std::atomic<bool> is_watched_;
  Allocator allocator_;
  std::map<uint64_t, Block> blocks_;  // by device address

  mutable std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  uint64_t issued_ = 0, serving_ = 0;  // tickets
  std::deque<std::shared_ptr<Launch>> launches_;
  std::shared_ptr<Launch> running_;
  std::set<uint64_t> dropped_;  // tickets of launches that are not served
  bool is_lost_ = false;
  bool has_limits_ = false;  // a handle has or had a time limit
  Counters counters_;
  bool closing_ = false;
  std::jthread worker_;
};

}  // namespace tputwin::bmlib
