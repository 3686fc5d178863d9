// Device: one simulated chip. It runs instructions on its memories, in the order of its queues, and
// notifies its observers. A process may hold any number of devices; one thread at a time may use
// each of them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "base/error.h"
#include "chip/chip.h"
#include "machine/device_errors.h"
#include "machine/device_memories.h"
#include "machine/instruction_queues.h"
#include "machine/observer.h"
#include "machine/observer_list.h"
#include "machine/optimizer/executable_plan.h"
#include "memory/memory.h"
#include "ops/instruction.h"

namespace tputwin {

class PlannedProgram;

struct DeviceOptions {
  const Chip* chip;           // required; there is no default
  uint64_t global_bytes = 0;  // 0: the chip's default
  KernelChoice kernel_choice = KernelChoice::automatic;
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

class Device {
 public:
  static Result<std::unique_ptr<Device>> create(const DeviceOptions& options);

  const Chip& chip() const { return *options_.chip; }
  DeviceMemories& memories() { return memories_; }
  const DeviceMemories& memories() const { return memories_; }
  ObserverList& observers() { return observers_; }
  DeviceErrors& errors() { return errors_; }
  // Returns the sticky error, if any. While it is set, nothing is executed.
  Status error() const { return errors_.sticky(); }

  void set_schedule(Schedule schedule, uint64_t seed = 1);
  // Selects the kernels that execute operations.
  void set_kernel_choice(KernelChoice kernel_choice);
  // Sets the function that runs CPU operators of programs. Without it they are an error that names
  // the operator.
  using CpuHost = std::function<Status(const CpuCall&, Device&)>;
  void set_cpu_host(CpuHost host) { cpu_host_ = std::move(host); }

  // Queues an instruction on its engine. Numbering goes on from the last drain.
  void submit(Instruction instruction) { queues_.submit(std::move(instruction)); }
  // Checks one instruction of a call-by-call API under the name of the call, and executes it. Under
  // a schedule other than Schedule::program the next drain() executes it. While an error is set,
  // nothing happens. The sums of accumulating operations may be deferred until anything else could
  // read their results (ops/fast/gemm/run/deferred_sums.h).
  Status issue(const Instruction& instruction, const CallSite& site);
  // Executes everything queued. Stops at the first error: the queues are emptied, and memories keep
  // the results so far. The error sticks until errors().clear().
  Status drain();
  // Submits and drains a whole program, numbered from 1, without copying its instructions.
  Status run(std::span<const Instruction> program);
  // Runs a program that may run again. Its plan belongs to one device at a time.
  Status run(PlannedProgram& program);

 private:
  Device(const DeviceOptions& options, SystemMemories memories);
  void poison_memories();
  bool uses_plans() const;
  Status run_plan(ExecutablePlan& plan, const ExecutablePlan::Run& run);
  Status run_queues();
  Status run_in_order(std::span<const Instruction> program);
  Status step(const Instruction& instruction);
  Status execute(const Instruction& instruction);
  Status check_operation(const Operation& op, auto&& report_as);
  void mark_writes(const Operation& op);
  void restore_operands(const Operation& op);
  void run_kernel(const Instruction& instruction);
  void run_issued(const Instruction& instruction);
  Status call_host(const CpuCall& call);
  Status finish(Status status);

  DeviceOptions options_;
  MemoryState state_;
  ObserverList observers_;
  DeviceMemories memories_;
  DeviceErrors errors_;
  InstructionQueues queues_;
  bool has_plans_ = false;  // a plan depends on the clock of writes
  CpuHost cpu_host_;
};

}  // namespace tputwin
