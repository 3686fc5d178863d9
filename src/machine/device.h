// Device: one simulated chip. Memories, one in-order queue per engine, observers, sticky errors.
// Any number of devices may live in a process; each is used by one thread at a time.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "base/diagnostics.h"
#include "base/error.h"
#include "chip/chip.h"
#include "machine/observer.h"
#include "machine/pending_loads.h"
#include "machine/spare_pages.h"
#include "memory/memory.h"
#include "memory/write_clock.h"
#include "ops/fast/gemm/pending_sums.h"
#include "ops/instruction.h"

namespace tputwin {

class Plan;

// The order in which drain() picks among the engines. All are legal orders of a correct program:
// ids and waits are respected.
enum class Schedule : uint8_t {
  program,  // as submitted
  compute_first,
  dma_first,
  shuffled  // seeded
};

struct DeviceOptions {
  const Chip* chip;           // no default: whoever makes a device says which
  uint64_t global_bytes = 0;  // 0: the chip's default
  Body body = Body::automatic;
  Schedule schedule = Schedule::program;
  uint64_t seed = 1;  // of Schedule::shuffled
  bool strict = Diagnostics::strict_by_default();
  // Local memory, L2-SRAM and DTCM start with kPoison instead of zeros, as on a chip nothing is
  // known of them. TPUTWIN_POISON=1.
  bool poison = poison_by_default();
  // Programs that run again keep what their runs have in common (machine/plan.h). Off, every run
  // begins anew, with the same bytes: TPUTWIN_PLANS=0.
  bool plans = plans_by_default();

  static bool poison_by_default();
  static bool plans_by_default();
};

// NaN in fp32, fp16 and bf16, and no small number in any integer type.
inline constexpr uint16_t kPoison = 0xffc5;

// Order of execution. The instructions of one engine run in the order submitted; an instruction
// starts when the other engine has finished the number it waits for. A CPU call, and a number that
// does not grow, begin a new segment: all engines drain first, and counting starts again.
class Device {
 public:
  static Result<std::unique_ptr<Device>> create(const DeviceOptions& options);

  const Chip& chip() const { return *options_.chip; }
  // Whoever takes local memory may look at it at any time: from then on nothing that a run loads is
  // owed to it.
  LocalMemory& local() {
    is_local_taken_ = true;
    loads_->finish();
    finish_sums();
    return local_;
  }
  // The same for those who only look, until the next run.
  const LocalMemory& local_contents() const {
    loads_->finish();
    return local_;
  }
  // From now on every operation is finished when it is issued, as somebody may look at any time,
  // and lanes follow each other, as somebody may walk over them.
  LocalMemory& expose_local() {
    is_local_exposed_ = true;
    local().close_gaps();
    return local_;
  }
  // Lanes do not hold what the last run loaded: looking changes that.
  bool owes_loads() const { return loads_->any(); }
  // Of chips that have them.
  GlobalMemory& l2() { return *l2_; }
  GlobalMemory& dtcm() { return *dtcm_; }

  // Whoever takes global memory by one of these may write it at any time: from then on the device
  // keeps nothing that it derived from its bytes.
  GlobalMemory& global() {
    clock_.expose_all();
    loads_->finish();
    pages_->need_all();
    return *global_;
  }
  Memory memory() {
    static_cast<void>(local());
    static_cast<void>(global());
    return own_memory();
  }
  uint64_t global_bytes() const { return global_->size(); }
  // The same for those who only look, until the next run; for those who say what they look at or
  // write, each time before they do, and where others may write (WriteClock).
  const GlobalMemory& global_contents() const {
    pages_->need_all();
    return *global_;
  }
  const uint8_t* global_for_reading(uint64_t address, uint64_t bytes) const {
    pages_->need({address, bytes});
    return global_->data() + address;
  }
  uint8_t* global_for_writing(uint64_t address, uint64_t bytes) {
    clock_.mark(address, bytes);
    loads_->finish_if_from({address, bytes});
    pages_->need({address, bytes});
    if (bytes != 0)
      notify({.kind = DeviceEvent::Kind::host_write, .address = address, .bytes = bytes});
    return global_->data() + address;
  }
  // Whole pages are about to be exchanged.
  GlobalMemory& global_for_mapping(uint64_t address, uint64_t bytes) {
    clock_.mark(address, bytes);
    loads_->finish_if_from({address, bytes});
    pages_->need({address, bytes});
    notify({.kind = DeviceEvent::Kind::host_write, .address = address, .bytes = bytes});
    return *global_;
  }
  uint8_t* expose_global(uint64_t address, uint64_t bytes) {
    clock_.expose(address, bytes);
    loads_->finish_if_from({address, bytes});
    pages_->need({address, bytes});
    notify({.kind = DeviceEvent::Kind::pointer, .address = address, .bytes = bytes});
    return global_->data() + address;
  }
  void cover_global(uint64_t address, uint64_t bytes) { clock_.cover(address, bytes); }
  Diagnostics& diagnostics() { return diagnostics_; }

  void set_schedule(Schedule schedule, uint64_t seed = 1);
  void set_body(Body body) {
    finish_sums();
    options_.body = body;
  }

  // Queues an instruction on its engine. Numbering goes on from the last drain.
  void submit(Instruction instruction);
  // One instruction of a front door that works call by call: checked now, under the name of the
  // call, and executed now, or by the next drain() if the schedule is another than the program's.
  // While an error stands, nothing happens. Sums of accumulating operations may be owed to their
  // results, until anything else could see these (ops/fast/gemm/pending_sums.h).
  Status issue(const Instruction& instruction, const CallSite& site);
  // Books a failed status of a call with the device, where an error sticks, and with the thread.
  Status report_call(Status status, const CallSite& site);
  // Executes everything queued. Stops at the first error: the queues are emptied, the error is
  // sticky until clear_error(), and memories keep what was done so far.
  Status drain();
  // A whole program, numbered from 1: submit all and drain, without copying an instruction.
  Status run(std::span<const Instruction> program);
  // The same of a program that may run again. The plan is of one device at a time.
  Status run(Plan& plan);

  // The sticky error, if any. While it stands nothing is executed.
  Status error() const { return sticky_ ? Status(*sticky_) : Status(); }
  bool failed() const { return sticky_.has_value(); }
  void clear_error() { sticky_.reset(); }

  void add_observer(Observer* observer);  // not owned
  void remove_observer(Observer* observer);
  // Tells observers of what front doors do.
  void notify(const DeviceEvent& event) {
    for (Observer* observer : observers_) observer->on_event(event);
  }

  // Runs CPU operators met in programs; without one they are an error that names the operator.
  using CpuHost = std::function<Status(const CpuCall&, Device&)>;
  void set_cpu_host(CpuHost host) { cpu_host_ = std::move(host); }

 private:
  static constexpr size_t kEngines = 3;  // by enum Engine
  struct Queued {
    uint64_t order, segment;
    const Instruction* instruction;
  };

  struct SystemMemories {
    std::unique_ptr<GlobalMemory> global, l2, dtcm;
  };
  friend class Plan;
  Device(const DeviceOptions& options, SystemMemories memories);
  Memory own_memory() { return {local_, *global_, l2_.get(), dtcm_.get()}; }
  bool follows_plans() const;
  Status follow(Plan& plan);
  void mark_writes(const Operation& op);
  void need_operands(const Operation& op);
  void poison_memories();
  void enqueue(const Instruction& instruction);
  bool ready(const Instruction& instruction) const;
  std::optional<size_t> pick();
  Status run_queues();
  Status run_in_order(std::span<const Instruction> program);
  Status step(const Instruction& instruction);
  Status execute(const Instruction& instruction);
  Status check_operation(const Operation& op, auto&& book_as);
  void run_body(const Instruction& instruction);
  void run_issued(const Instruction& instruction);
  void finish_sums() {
    if (!sums_.empty()) sums_.finish(own_memory());
  }
  Status call_host(const CpuCall& call);
  Status book(Status status, const Instruction& instruction);
  Status finish(Status status);

  DeviceOptions options_;
  LocalMemory local_;
  std::unique_ptr<GlobalMemory> global_, l2_, dtcm_;
  WriteClock clock_;                     // of global memory
  std::shared_ptr<SparePages> pages_;    // of global memory
  std::unique_ptr<PendingLoads> loads_;  // of the plan that ran last
  bool has_plans_ = false;               // some plan depends on the clock
  bool is_local_exposed_ = false, is_local_taken_ = false;
  fast::PendingSums sums_;         // of what was issued
  std::deque<Instruction> owned_;  // what submit() was given; queues point into it
  std::array<std::deque<Queued>, kEngines> queues_;
  struct Restart {  // the first instruction of `segment` counts its engine from 1 again
    uint64_t segment;
    size_t engine;
  };
  std::deque<Restart> restarts_;
  uint64_t order_ = 0, segment_ = 0;
  std::array<uint32_t, kEngines> issued_{}, finished_{};  // newest number of each engine
  std::mt19937_64 random_;
  std::vector<Observer*> observers_;
  CpuHost cpu_host_;
  Diagnostics diagnostics_;
  std::optional<Error> sticky_;
};

}  // namespace tputwin
