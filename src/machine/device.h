// Device: one simulated chip. It owns memories, one in-order queue per engine, observers and the
// sticky error. A process may hold any number of devices; one thread at a time may use each of
// them.
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
#include "machine/optimizer/deferred_loads.h"
#include "machine/optimizer/executable_plan.h"
#include "machine/optimizer/released_pages.h"
#include "memory/memory.h"
#include "memory/write_clock.h"
#include "ops/fast/gemm/run/pending_sums.h"
#include "ops/instruction.h"

namespace tputwin {

class PlannedProgram;

// The order in which drain() picks among the engines. Ids and waits are respected, so each order is
// legal for a correct program.
enum class Schedule : uint8_t {
  program,  // as submitted
  compute_first,
  dma_first,
  shuffled  // seeded
};

struct DeviceOptions {
  const Chip* chip;           // required; there is no default
  uint64_t global_bytes = 0;  // 0: the chip's default
  Body body = Body::automatic;
  Schedule schedule = Schedule::program;
  uint64_t seed = 1;  // of Schedule::shuffled
  bool strict = Diagnostics::strict_by_default();
  // Local memory, L2-SRAM and DTCM start with kPoison instead of zeros, because their contents on a
  // chip are unknown. TPUTWIN_POISON=1 sets the default.
  bool poison = poison_by_default();
  // Repeated runs of a program share a plan (machine/planned_program.h). If false, each run starts
  // from scratch and writes the same bytes; TPUTWIN_PLANS=0 sets this default.
  bool plans = plans_by_default();

  static bool poison_by_default();
  static bool plans_by_default();
};

// The poison pattern: NaN in fp32, fp16 and bf16, and no small number in any integer type.
inline constexpr uint16_t kPoison = 0xffc5;

// The instructions of one engine run in the order submitted. An instruction starts when the other
// engine has finished the number it waits for. A CPU call, or a number that does not grow, begins a
// new segment: all engines drain first, and counting starts again.
class Device {
 public:
  static Result<std::unique_ptr<Device>> create(const DeviceOptions& options);

  const Chip& chip() const { return *options_.chip; }
  // Returns local memory for any access. The caller may read it at any time afterwards, so no later
  // run defers loads.
  LocalMemory& local() {
    is_local_taken_ = true;
    loads_->execute();
    finish_sums();
    return local_;
  }
  // Returns local memory for reading until the next run.
  const LocalMemory& local_contents() const {
    loads_->execute();
    return local_;
  }
  // Returns local memory for reading and writing at any time. From now on each operation finishes
  // when it is issued. Lanes become contiguous in host memory, as the caller may walk over them.
  LocalMemory& expose_local() {
    is_local_exposed_ = true;
    local().close_gaps();
    return local_;
  }
  // Returns true while loads of the last run are deferred. An access to local memory executes them.
  bool has_deferred_loads() const { return loads_->any(); }
  // Chips without L2-SRAM or DTCM must not call these.
  GlobalMemory& l2() { return *l2_; }
  GlobalMemory& dtcm() { return *dtcm_; }

  // Returns global memory for any access. The caller may write it at any time, so from now on the
  // device keeps nothing that it derived from its bytes.
  GlobalMemory& global() {
    clock_.expose_all();
    loads_->execute();
    pages_->restore_all();
    return *global_;
  }
  Memory memory() {
    static_cast<void>(local());
    static_cast<void>(global());
    return own_memory();
  }
  uint64_t global_bytes() const { return global_->size(); }
  // The functions below return global memory for limited access. global_contents() is for reading
  // until the next run. global_for_reading() and global_for_writing() are called before each access
  // to the range. expose_global() allows writes to the range at any time until cover_global()
  // (WriteClock).
  const GlobalMemory& global_contents() const {
    pages_->restore_all();
    return *global_;
  }
  const uint8_t* global_for_reading(uint64_t address, uint64_t bytes) const {
    pages_->restore({address, bytes});
    return global_->data() + address;
  }
  uint8_t* global_for_writing(uint64_t address, uint64_t bytes) {
    clock_.mark(address, bytes);
    loads_->execute_if_from({address, bytes});
    pages_->restore({address, bytes});
    if (bytes != 0)
      notify({.kind = DeviceEvent::Kind::host_write, .address = address, .bytes = bytes});
    return global_->data() + address;
  }
  // For a caller that is about to remap whole pages of the range.
  GlobalMemory& global_for_mapping(uint64_t address, uint64_t bytes) {
    clock_.mark(address, bytes);
    loads_->execute_if_from({address, bytes});
    pages_->restore({address, bytes});
    notify({.kind = DeviceEvent::Kind::host_write, .address = address, .bytes = bytes});
    return *global_;
  }
  uint8_t* expose_global(uint64_t address, uint64_t bytes) {
    clock_.expose(address, bytes);
    loads_->execute_if_from({address, bytes});
    pages_->restore({address, bytes});
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
  // Checks one instruction of a call-by-call API under the name of the call, and executes it. Under
  // a schedule other than Schedule::program the next drain() executes it. While an error is set,
  // nothing happens. The sums of accumulating operations may be deferred until anything else could
  // read their results (ops/fast/gemm/run/pending_sums.h).
  Status issue(const Instruction& instruction, const CallSite& site);
  // Records a failed status of a call in the device, where an error sticks, and in the thread.
  Status report_call(Status status, const CallSite& site);
  // Executes everything queued. Stops at the first error: the queues are emptied, and memories keep
  // the results so far. The error is sticky until clear_error().
  Status drain();
  // Submits and drains a whole program, numbered from 1, without copying its instructions.
  Status run(std::span<const Instruction> program);
  // Runs a program that may run again. Its plan belongs to one device at a time.
  Status run(PlannedProgram& program);

  // Returns the sticky error, if any. While it is set, nothing is executed.
  Status error() const { return sticky_ ? Status(*sticky_) : Status(); }
  bool failed() const { return sticky_.has_value(); }
  void clear_error() { sticky_.reset(); }

  void add_observer(Observer* observer);  // not owned
  void remove_observer(Observer* observer);
  // Forwards an event of an API to all observers.
  void notify(const DeviceEvent& event) {
    for (Observer* observer : observers_) observer->on_event(event);
  }

  // Sets the function that runs CPU operators of programs. Without it they are an error that names
  // the operator.
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
  friend class PlannedProgram;
  Device(const DeviceOptions& options, SystemMemories memories);
  Memory own_memory() { return {local_, *global_, l2_.get(), dtcm_.get()}; }
  bool follows_plans() const;
  Status follow(ExecutablePlan& plan, const ExecutablePlan::Run& run);
  void mark_writes(const Operation& op);
  void restore_operands(const Operation& op);
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
  WriteClock clock_;                      // of global memory
  std::shared_ptr<ReleasedPages> pages_;  // of global memory
  std::unique_ptr<DeferredLoads> loads_;  // deferred by the last plan
  bool has_plans_ = false;                // a plan depends on clock_
  bool is_local_exposed_ = false, is_local_taken_ = false;
  fast::PendingSums sums_;  // of issued instructions
  // Submitted instructions; queues point into it.
  std::deque<Instruction> owned_;
  std::array<std::deque<Queued>, kEngines> queues_;
  // The first instruction of `segment` restarts the count of `engine` at 1.
  struct Restart {
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
