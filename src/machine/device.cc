// Device: creates memories, queues instructions, and runs them in the order of its schedule.
#include "machine/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>

#include "base/errors/machine.h"
#include "base/last_error.h"
#include "base/workers.h"
#include "chip/rule_numbers.h"
#include "machine/planned_program.h"
#include "machine/stop.h"
#include "numerics/l2_tables.h"
#include "ops/fast/dispatch/isa.h"
#include "ops/fast/fast.h"
#include "selftest/first_use.h"

namespace tputwin {
namespace {

void poison(uint8_t* data, uint64_t bytes) {
  for (uint64_t i = 0; i < bytes; ++i) data[i] = static_cast<uint8_t>(kPoison >> (i % 2 * 8));
}

constexpr size_t index(Engine engine) { return static_cast<size_t>(engine); }
constexpr Engine other(Engine engine) {
  return engine == Engine::compute ? Engine::dma : Engine::compute;
}

// Runs a program of so many instructions. Only programs long enough to profit keep workers.
template <class Run>
Status run_with_workers(size_t instructions, const Run& run) {
  constexpr size_t kWorthIt = 16;
  if (instructions < kWorthIt) return run();
  Status status;
  const auto work = [&] { status = run(); };
  with_workers(std::cref(work));  // by reference: nothing is allocated
  return status;
}

// Returns for example "compute 12 conv2d".
std::string site(const Instruction& instruction) {
  return fmt::format("{} {} {}", to_string(instruction.engine), instruction.id,
                     name(instruction.op));
}

}  // namespace

Result<std::unique_ptr<Device>> Device::create(const DeviceOptions& options) {
  TW_RETURN_IF_ERROR(fast::check_environment());
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
      local_(*options.chip),
      global_(std::move(memories.global)),
      l2_(std::move(memories.l2)),
      dtcm_(std::move(memories.dtcm)),
      clock_(global_->size()),
      pages_(std::make_shared<ReleasedPages>()),
      loads_(std::make_unique<DeferredLoads>(chip(), own_memory(), *pages_)),
      random_(options.seed),
      diagnostics_(options.strict) {
  if (options.poison) poison_memories();
  if (options.chip->l2_tables != 0) fill_l2_tables(l2_->data() + options.chip->l2.bytes);
}

bool DeviceOptions::poison_by_default() {
  const char* value = std::getenv("TPUTWIN_POISON");
  return value != nullptr && *value != '\0' && std::strcmp(value, "0") != 0;
}

bool DeviceOptions::plans_by_default() {
  const char* value = std::getenv("TPUTWIN_PLANS");
  return value == nullptr || std::strcmp(value, "0") != 0;
}

// Skips global memory: programs initialize the parts that they allocate, and its pages are lazy.
void Device::poison_memories() {
  poison(local_.host_bytes().data(), local_.host_bytes().size());
  if (l2_ != nullptr) poison(l2_->data(), l2_->size());
  if (dtcm_ != nullptr) poison(dtcm_->data(), dtcm_->size());
}

void Device::set_schedule(Schedule schedule, uint64_t seed) {
  finish_sums();
  options_.schedule = schedule;
  random_.seed(seed);
}

void Device::add_observer(Observer* observer) {
  finish_sums();
  loads_->execute();
  pages_->restore_all();
  observers_.push_back(observer);
}

void Device::remove_observer(Observer* observer) { std::erase(observers_, observer); }

void Device::submit(Instruction instruction) {
  owned_.push_back(std::move(instruction));
  enqueue(owned_.back());
}

// Queues an instruction with the number of its segment. All instructions of a segment run before
// those of the next.
void Device::enqueue(const Instruction& instruction) {
  size_t engine = index(instruction.engine);
  if (instruction.engine == Engine::cpu) {
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

bool Device::ready(const Instruction& instruction) const {
  return instruction.wait == 0 || instruction.wait <= finished_[index(other(instruction.engine))];
}

// Returns the engine that runs next. Its first instruction belongs to the oldest segment and has no
// wait left. Returns nullopt if all engines wait.
std::optional<size_t> Device::pick() {
  uint64_t segment = UINT64_MAX;
  for (const auto& queue : queues_)
    if (!queue.empty()) segment = std::min(segment, queue.front().segment);
  for (; !restarts_.empty() && restarts_.front().segment <= segment; restarts_.pop_front())
    finished_[restarts_.front().engine] = 0;
  std::array<size_t, kEngines> open;
  size_t count = 0;
  for (size_t engine = 0; engine < kEngines; ++engine) {
    const auto& queue = queues_[engine];
    if (queue.empty() || queue.front().segment != segment) continue;
    if (ready(*queue.front().instruction)) open[count++] = engine;
  }
  if (count == 0) return std::nullopt;
  auto end = open.begin() + static_cast<ptrdiff_t>(count);
  switch (options_.schedule) {
    case Schedule::program:
      return *std::min_element(open.begin(), end, [&](size_t a, size_t b) {
        return queues_[a].front().order < queues_[b].front().order;
      });
    case Schedule::compute_first:
      return open[0];
    case Schedule::dma_first:
      return open[count - 1];
    case Schedule::shuffled:
      return open[random_() % count];
  }
  return open[0];
}

Status Device::run_queues() {
  auto pending = [&] {
    return std::any_of(queues_.begin(), queues_.end(), [](auto& queue) { return !queue.empty(); });
  };
  while (pending()) {
    auto engine = pick();
    if (!engine) {
      auto& queue = queues_[0].empty() ? queues_[2] : queues_[0];
      const Instruction& stuck = *queue.front().instruction;
      return book(Error(errors::mch_wait_never).argument("wait", fmt::format("{}", stuck.wait)),
                  stuck);
    }
    const Instruction& next = *queues_[*engine].front().instruction;
    queues_[*engine].pop_front();
    TW_RETURN_IF_ERROR(step(next));
  }
  return {};
}

Status Device::run_in_order(std::span<const Instruction> program) {
  for (size_t i = 0; i < program.size(); ++i) {
    // It waits for a later command, so the queues find the order.
    if (!ready(program[i])) {
      issued_ = finished_;
      for (const Instruction& instruction : program.subspan(i)) enqueue(instruction);
      return run_queues();
    }
    TW_RETURN_IF_ERROR(step(program[i]));
  }
  return {};
}

Status Device::drain() {
  finish_sums();
  if (sticky_) return finish(*sticky_);
  return finish(run_queues());
}

Status Device::run(std::span<const Instruction> program) {
  TW_RETURN_IF_ERROR(drain());
  issued_.fill(0);
  finished_.fill(0);
  return finish(run_with_workers(program.size(), [&] {
    if (options_.schedule == Schedule::program) return run_in_order(program);
    for (const Instruction& instruction : program) enqueue(instruction);
    return run_queues();
  }));
}

Status Device::finish(Status status) {
  for (auto& queue : queues_) queue.clear();
  restarts_.clear();
  owned_.clear();
  issued_ = finished_;
  if (!status.ok() && !sticky_) sticky_ = status.error();
  return status;
}

// Records a failed status under the name of the instruction, in the device and in the calling
// thread. Warnings are counted per operation.
Status Device::book(Status status, const Instruction& instruction) {
  if (status.ok()) return status;
  tell_numbers(status.error(), chip());
  bool counted = status.error().info().level == Level::warning && !diagnostics_.strict();
  std::string call = counted ? std::string(name(instruction.op)) : site(instruction);
  return report(diagnostics_, std::move(status.error()).in(call));
}

bool Device::follows_plans() const {
  return options_.plans && options_.schedule == Schedule::program &&
         options_.body == Body::automatic && observers_.empty() && !testing::proves_bodies();
}

Status Device::run(PlannedProgram& program) {
  ExecutablePlan* plan =
      follows_plans() ? program.plan_run({chip(), own_memory(), pages_}) : nullptr;
  if (plan == nullptr || (plan->has_warnings() && diagnostics_.strict()))
    return run(program.instructions());
  if (!loads_->are(plan->loads_to_defer())) loads_->execute();
  TW_RETURN_IF_ERROR(drain());
  loads_->drop();
  issued_.fill(0);
  finished_.fill(0);
  has_plans_ = true;
  const ExecutablePlan::Run run{.chip = chip(),
                                .memory = own_memory(),
                                .clock = clock_,
                                .deferred_loads = *loads_,
                                .may_defer = !is_local_taken_};
  Status status = finish(run_with_workers(plan->size(), [&] { return follow(*plan, run); }));
  if (status.ok()) plan->end_run(run);
  return status;
}

// Runs a planned program. Its rules were checked, and its order is program order.
Status Device::follow(ExecutablePlan& plan, const ExecutablePlan::Run& run) {
  plan.begin_run(run);
  for (uint32_t i = 0; i < plan.size(); ++i) {
    if (is_stop_wanted()) return Error(errors::mch_stopped);
    const Instruction& instruction = plan.instruction(i);
    plan.begin_step(i, run);
    if (instruction.engine == Engine::cpu) {
      TW_RETURN_IF_ERROR(step(instruction));
      continue;
    }
    if (instruction.id != 0) finished_[index(instruction.engine)] = instruction.id;
    if (plan.has_warning(i))
      TW_RETURN_IF_ERROR(check_operation(
          instruction.op, [&](Status status) { return book(std::move(status), instruction); }));
    plan.run_step(i, run);
  }
  return {};
}

// Marks the range from the first to the last byte of each global operand that the operation writes.
void Device::mark_writes(const Operation& op) {
  for (const Operand& operand : operands(op)) {
    if (operand.access == Access::read || operand.view->space != Space::global) continue;
    const GlobalRange range = extent_in_global(*operand.view);
    clock_.mark(range.begin, range.bytes);
  }
}

// Restores the pages of global memory that an operation touches.
void Device::restore_operands(const Operation& op) {
  if (!pages_->any()) return;
  for (const Operand& operand : operands(op))
    if (operand.view->space == Space::global) pages_->restore(extent_in_global(*operand.view));
}

// Executes one instruction and updates the count of its engine.
Status Device::step(const Instruction& instruction) {
  if (is_stop_wanted()) return Error(errors::mch_stopped);
  TW_RETURN_IF_ERROR(execute(instruction));
  if (instruction.engine == Engine::cpu)
    finished_.fill(0);
  else if (instruction.id != 0)
    finished_[index(instruction.engine)] = instruction.id;
  return {};
}

Status Device::execute(const Instruction& instruction) {
  const Operation& op = instruction.op;
  if (const auto* call = std::get_if<CpuCall>(&op)) {
    Status status = call_host(*call);
    if (!status.ok()) return book(std::move(status), instruction);
  } else {
    TW_RETURN_IF_ERROR(
        check_operation(op, [&](Status status) { return book(std::move(status), instruction); }));
  }
  run_body(instruction);
  return {};
}

// Checks the rules of an operation and the bounds of its operands. Passes violations to `book_as`.
Status Device::check_operation(const Operation& op, auto&& book_as) {
  if (Status status = check(op, chip()); !status.ok())
    TW_RETURN_IF_ERROR(book_as(std::move(status)));
  if (Status status = check_bounds(op, chip(), global_->size()); !status.ok())
    TW_RETURN_IF_ERROR(book_as(std::move(status)));
  if (options_.body != Body::automatic || !testing::proves_bodies()) return {};
  if (auto difference = testing::prove_body(op))
    return book_as(Error(errors::mch_body_off)
                       .argument("body", fmt::format("{} on {}", name(op), fast::selected_isa()))
                       .detail(std::move(*difference)));
  return {};
}

void Device::run_body(const Instruction& instruction) {
  const Operation& op = instruction.op;
  if (instruction.engine != Engine::cpu) loads_->execute();
  if (has_plans_) mark_writes(op);
  restore_operands(op);
  if (observers_.empty()) return tputwin::execute(op, own_memory(), options_.body);
  const Footprint touched = footprint(op, chip());
  for (Observer* observer : observers_) observer->before_instruction(instruction, touched);
  tputwin::execute(op, own_memory(), options_.body);
  const Cost price = cost(op, chip());
  for (Observer* observer : observers_) observer->on_instruction(instruction, touched, price);
}

// Runs an issued instruction, or defers its sums if it accumulates.
void Device::run_issued(const Instruction& instruction) {
  const bool gathers = options_.body == Body::automatic && observers_.empty() &&
                       !is_local_exposed_ && !testing::proves_bodies();
  if (gathers) loads_->execute();
  if (gathers && sums_.take(instruction.op, own_memory())) return;
  if (sums_.concern(instruction.op, local_)) finish_sums();
  run_body(instruction);
}

Status Device::issue(const Instruction& instruction, const CallSite& site) {
  if (sticky_) return *sticky_;
  TW_RETURN_IF_ERROR(check_operation(
      instruction.op, [&](Status status) { return report_call(std::move(status), site); }));
  if (options_.schedule != Schedule::program) {
    submit(instruction);
    return {};
  }
  for (Observer* observer : observers_) observer->on_issue(site);
  run_issued(instruction);
  issued_[index(instruction.engine)] = finished_[index(instruction.engine)] = instruction.id;
  return {};
}

// A sync record only waits for the engines, which have drained already.
Status Device::call_host(const CpuCall& call) {
  if (call.sync) return {};
  if (cpu_host_) return cpu_host_(call, *this);
  return Error(errors::mch_no_cpu_host).argument("operator", call.name);
}

}  // namespace tputwin
