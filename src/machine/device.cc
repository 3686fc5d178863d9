// Device: creates memories, and runs instructions in the order of its queues.
#include "machine/device.h"

#include <fmt/format.h>

#include <functional>

#include "base/errors/machine.h"
#include "base/variables.h"
#include "base/workers.h"
#include "base/wrong_variables.h"
#include "machine/planned_program.h"
#include "machine/step_recorder.h"
#include "machine/stop.h"
#include "numerics/l2_tables.h"
#include "ops/contract/range_set.h"
#include "ops/fast/dispatch/isa.h"
#include "ops/fast/fast.h"
#include "selftest/first_use.h"

namespace tputwin {
namespace {

void poison(uint8_t* data, uint64_t bytes) {
  for (uint64_t i = 0; i < bytes; ++i) data[i] = static_cast<uint8_t>(kPoison >> (i % 2 * 8));
}

// Runs a program of `instructions` instructions. Keeps workers only if the program is long enough
// to profit from them.
template <class Run>
Status run_with_workers(size_t instructions, const Run& run) {
  constexpr size_t kWorthIt = 16;
  if (instructions < kWorthIt || StepRecorder::current() != nullptr) return run();
  Status status;
  const auto work = [&] { status = run(); };
  with_workers(std::cref(work));  // by reference: nothing is allocated
  return status;
}

// Runs a step, and records its time if there is a recorder.
template <class Step>
void record_step(const Instruction& instruction, const Step& step) {
  if (StepRecorder* const recorder = StepRecorder::current()) [[unlikely]]
    return recorder->run(instruction, step);
  step();
}

}  // namespace

Result<std::unique_ptr<Device>> Device::create(const DeviceOptions& options) {
  TW_RETURN_IF_ERROR(fast::check_environment());
  TW_RETURN_IF_ERROR(check_variables());
  uint64_t bytes = options.global_bytes != 0 ? options.global_bytes : options.chip->global_bytes;
  SystemMemories memories;
  auto reserve = [](uint64_t size, std::unique_ptr<GlobalMemory>& memory) -> Status {
    if (size == 0) return {};
    auto reserved = GlobalMemory::reserve(size);
    if (!reserved.ok()) return reserved.error();
    memory = std::move(reserved.value());
    return {};
  };
  TW_RETURN_IF_ERROR(reserve(bytes, memories.global));
  TW_RETURN_IF_ERROR(reserve(options.chip->l2.bytes + options.chip->l2_tables, memories.l2));
  TW_RETURN_IF_ERROR(reserve(options.chip->dtcm.bytes, memories.dtcm));
  return std::unique_ptr<Device>(new Device(options, std::move(memories)));
}

Device::Device(const DeviceOptions& options, SystemMemories memories)
    : options_(options),
      state_(*options.chip, std::move(memories)),
      observers_(state_),
      memories_(state_, observers_),
      errors_(*options.chip, options.strict, observers_),
      queues_(options.schedule, options.seed) {
  if (options.poison) poison_memories();
  if (options.chip->l2_tables != 0)
    fill_l2_tables(state_.system.l2->data() + options.chip->l2.bytes);
}

bool DeviceOptions::poison_by_default() { return is_on(EnvVariable::poison); }

bool DeviceOptions::plans_by_default() { return value_of(EnvVariable::plans) != "0"; }

// Fills memories with kPoison. Skips global memory, because programs initialize the parts that they
// allocate, and its pages are lazy.
void Device::poison_memories() {
  poison(state_.local.host_bytes().data(), state_.local.host_bytes().size());
  for (const auto* memory : {&state_.system.l2, &state_.system.dtcm})
    if (*memory != nullptr) poison((*memory)->data(), (*memory)->size());
}

void Device::set_schedule(Schedule schedule, uint64_t seed) {
  state_.finish_sums();
  queues_.set_schedule(schedule, seed);
}

void Device::set_kernel_choice(KernelChoice kernel_choice) {
  state_.finish_sums();
  options_.kernel_choice = kernel_choice;
}

Status Device::run_queues() {
  while (!queues_.empty()) {
    if (const Instruction* next = queues_.take_next()) {
      TW_RETURN_IF_ERROR(step(*next));
      continue;
    }
    const Instruction& stuck = queues_.stuck();
    Error error(errors::mch_wait_never);
    return errors_.report(std::move(error).argument("wait", fmt::format("{}", stuck.wait)), stuck);
  }
  return {};
}

Status Device::run_in_order(std::span<const Instruction> program) {
  for (size_t i = 0; i < program.size(); ++i) {
    // This instruction waits for a later one, so the queues must find the order.
    if (!queues_.is_ready(program[i])) {
      queues_.continue_from_finished();
      for (const Instruction& instruction : program.subspan(i)) queues_.enqueue(instruction);
      return run_queues();
    }
    TW_RETURN_IF_ERROR(step(program[i]));
  }
  return {};
}

Status Device::drain() {
  state_.finish_sums();
  if (errors_.any()) return finish(errors_.sticky());
  return finish(run_queues());
}

Status Device::run(std::span<const Instruction> program) {
  TW_RETURN_IF_ERROR(drain());
  queues_.restart();
  return finish(run_with_workers(program.size(), [&] {
    if (queues_.schedule() == Schedule::program) return run_in_order(program);
    for (const Instruction& instruction : program) queues_.enqueue(instruction);
    return run_queues();
  }));
}

Status Device::finish(Status status) {
  queues_.clear();
  queues_.continue_from_finished();
  errors_.stick(status);
  return status;
}

bool Device::uses_plans() const {
  return options_.plans && queues_.schedule() == Schedule::program &&
         options_.kernel_choice == KernelChoice::automatic && observers_.empty() &&
         !testing::tests_kernels();
}

Status Device::run(PlannedProgram& program) {
  ExecutablePlan* plan =
      uses_plans() ? program.plan_run({chip(), state_.view(), state_.pages}) : nullptr;
  if (plan == nullptr || (plan->has_warnings() && errors_.is_strict()))
    return run(program.instructions());
  if (!state_.deferred_loads.are(plan->loads_to_defer())) state_.deferred_loads.execute();
  TW_RETURN_IF_ERROR(drain());
  state_.deferred_loads.drop();
  queues_.restart();
  has_plans_ = true;
  const ExecutablePlan::Run run{.chip = chip(),
                                .memory = state_.view(),
                                .clock = state_.clock,
                                .deferred_loads = state_.deferred_loads,
                                .may_defer = !state_.is_local_taken};
  Status status = finish(run_with_workers(plan->size(), [&] { return run_plan(*plan, run); }));
  if (status.ok()) plan->end_run(run);
  return status;
}

// Runs a planned program in program order. Its rules were checked when the plan was made.
Status Device::run_plan(ExecutablePlan& plan, const ExecutablePlan::Run& run) {
  plan.begin_run(run);
  for (uint32_t i = 0; i < plan.size(); ++i) {
    if (is_stop_wanted()) return Error(errors::mch_stopped);
    const Instruction& instruction = plan.instruction(i);
    plan.begin_step(i, run);
    if (instruction.engine == Engine::cpu) {
      Status status;
      record_step(instruction, [&] { status = step(instruction); });
      TW_RETURN_IF_ERROR(std::move(status));
      continue;
    }
    queues_.finish(instruction);
    if (plan.has_warning(i))
      TW_RETURN_IF_ERROR(check_operation(instruction.op, [&](Status status) {
        return errors_.report(std::move(status), instruction);
      }));
    record_step(instruction, [&] { plan.run_step(i, run); });
  }
  return {};
}

// Marks the range from the first to the last byte of each global operand that the operation writes.
void Device::mark_writes(const Operation& op) {
  for (const Operand& operand : operands(op)) {
    if (operand.access == Access::read || operand.view->space != Space::global) continue;
    const GlobalRange range = extent_in_global(*operand.view);
    state_.clock.mark(range.begin, range.bytes);
  }
}

// Restores the pages of global memory that an operation touches.
void Device::restore_operands(const Operation& op) {
  if (!state_.pages->any()) return;
  for (const Operand& operand : operands(op))
    if (operand.view->space == Space::global)
      state_.pages->restore(extent_in_global(*operand.view));
}

// Executes one instruction and updates the count of its engine.
Status Device::step(const Instruction& instruction) {
  if (is_stop_wanted()) return Error(errors::mch_stopped);
  TW_RETURN_IF_ERROR(execute(instruction));
  queues_.finish(instruction);
  return {};
}

Status Device::execute(const Instruction& instruction) {
  const auto report_as = [&](Status status) {
    return errors_.report(std::move(status), instruction);
  };
  if (const auto* call = std::get_if<CpuCall>(&instruction.op)) {
    Status status = call_host(*call);
    if (!status.ok()) return report_as(std::move(status));
  } else {
    TW_RETURN_IF_ERROR(check_operation(instruction.op, report_as));
  }
  run_kernel(instruction);
  return {};
}

// Checks the rules of an operation and the bounds of its operands. Passes violations to
// `report_as`.
Status Device::check_operation(const Operation& op, auto&& report_as) {
  if (Status status = check(op, chip()); !status.ok())
    TW_RETURN_IF_ERROR(report_as(std::move(status)));
  if (Status status = check_bounds(op, chip(), memories_.global_bytes()); !status.ok())
    TW_RETURN_IF_ERROR(report_as(std::move(status)));
  if (options_.kernel_choice != KernelChoice::automatic || !testing::tests_kernels()) return {};
  if (auto difference = testing::test_kernel(op))
    return report_as(
        Error(errors::mch_kernel_off)
            .argument("kernel", fmt::format("{} on {}", name(op), fast::selected_isa()))
            .detail(std::move(*difference)));
  return {};
}

void Device::run_kernel(const Instruction& instruction) {
  const Operation& op = instruction.op;
  if (instruction.engine != Engine::cpu) state_.deferred_loads.execute();
  if (has_plans_) mark_writes(op);
  restore_operands(op);
  if (observers_.empty()) return tputwin::execute(op, state_.view(), options_.kernel_choice);
  Footprint touched = footprint(op, chip());
  for (Observer* observer : observers_) observer->before_instruction(instruction, touched);
  tputwin::execute(op, state_.view(), options_.kernel_choice);
  const Cost price = cost(op, chip());
  for (Observer* observer : observers_) observer->on_instruction(instruction, touched, price);
  recycle(std::move(touched));
}

// Runs an issued instruction, or defers its sums if it accumulates.
void Device::run_issued(const Instruction& instruction) {
  const bool may_defer = options_.kernel_choice == KernelChoice::automatic && observers_.empty() &&
                         !state_.is_local_exposed && !testing::tests_kernels();
  if (may_defer) state_.deferred_loads.execute();
  if (may_defer && state_.sums.take(instruction.op, state_.view())) return;
  if (state_.sums.concern(instruction.op, state_.local)) state_.finish_sums();
  run_kernel(instruction);
}

Status Device::issue(const Instruction& instruction, const CallSite& site) {
  if (errors_.any()) return errors_.sticky();
  TW_RETURN_IF_ERROR(check_operation(
      instruction.op, [&](Status status) { return errors_.report(std::move(status), site); }));
  if (queues_.schedule() != Schedule::program) {
    submit(instruction);
    return {};
  }
  for (Observer* observer : observers_) observer->on_issue(site);
  run_issued(instruction);
  queues_.finish_issued(instruction);
  return {};
}

// Runs a CPU operator on the host. A sync record needs no call: it only waits for the engines,
// which have drained already.
Status Device::call_host(const CpuCall& call) {
  if (call.sync) return {};
  if (cpu_host_) return cpu_host_(call, *this);
  return Error(errors::mch_no_cpu_host).argument("operator", call.name);
}

}  // namespace tputwin
