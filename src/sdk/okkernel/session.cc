// Waits, parallel sections and messages of one launch, and the quirks of the process.
#include "sdk/okkernel/session.h"

#include "base/quirks.h"
#include "chip/family.h"
#include "machine/stop.h"
#include "sdk/okkernel/call_rules.h"
#include "sdk/okkernel/kernel_exit.h"

namespace tputwin::okk {
namespace {

thread_local Session* current = nullptr;

Quirks read_quirks() {
  return {.shift32 = has_quirk("shift32"),
          .mac_sign = has_quirk("mac_sign"),
          .kernel_flush = has_quirk("kernel_flush"),
          .ignored = has_quirk("ignored")};
}

// Reports the rule of the call that its operation breaks.
bool keeps_call_rules(Session& session, const Operation& op, std::string_view call) {
  if (is_raw_command(call)) return true;
  Status status = check_call(op, session.chip());
  return status.ok() || session.report(std::move(status.error()), call);
}

}  // namespace

const Quirks& Quirks::of_process() {
  static const Quirks quirks = read_quirks();
  return quirks;
}

Session* current_session() { return current; }

ScopedSession::ScopedSession(Session& session) : before_(current) { current = &session; }
ScopedSession::~ScopedSession() { current = before_; }

const ApiRules& rules_of(const Chip& chip) {
  return chip.family == ChipFamily::bm1684x ? kTpuRules : kOkkRules;
}

const Chip& chip_in_use(ChipFamily of_api) {
  return current != nullptr ? current->chip() : chip_of_process(of_api);
}

void Session::wait_for_other(Engine waiting) {
  if (waiting == Engine::dma)
    barrier_compute_ = issued_compute_;
  else
    barrier_dma_ = issued_dma_;
}

void Session::begin_call() {
  if (device_.errors().any() && ++calls_after_error_ > kCallsAfterError && in_leavable_kernel())
    leave_kernel(KernelEnd::runaway);
  if (frames_ == 0 && is_stop_wanted() && in_leavable_kernel()) leave_kernel(KernelEnd::stopped);
  ++frames_;
}

void Session::issue(const Operation& op, std::string_view call, std::string_view wrong_strides) {
  if (!keeps_call_rules(*this, op, call)) return;
  if (record_ != nullptr) return record_->operations.push_back(op);
  if (!initialized_ && !report(Error(rules().uninitialized), call)) return;
  unpolled_ = true;
  const CallSite from = site(call, wrong_strides);
  const Engine engine = tputwin::engine(op);
  const bool dma = engine == Engine::dma;
  Instruction instruction{.op = op, .engine = engine};
  instruction.id = dma ? ++issued_dma_ : ++issued_compute_;
  if (parallel_)
    instruction.wait = dma ? barrier_compute_ : barrier_dma_;
  else
    instruction.wait = dma ? issued_compute_ : issued_dma_;
  if (recording_ != nullptr) recording_->before(op);
  // The number of a failed call is used again, so that no command waits for it.
  if (!device_.issue(instruction, from).ok())
    --(dma ? issued_dma_ : issued_compute_);
  else if (recording_ != nullptr)
    recording_->issued(instruction);
}

void Session::send_message(int id, int waits) {
  Message& message = messages_[id];
  ++message.sent;
  message.waits_left = waits;
}

bool Session::take_message(int id, int sends) {
  Message& message = messages_[id];
  if (message.sent < sends) return false;
  if (--message.waits_left <= 0) messages_.erase(id);
  return true;
}

bool Session::report(Error error, std::string_view call) {
  if (record_ != nullptr) {
    const bool is_warning = error.info().level == Level::warning;
    if (!is_warning && !record_->broken) record_->broken = std::move(error).in(call);
    return is_warning;
  }
  return device_.errors().report(std::move(error), site(call)).ok();
}

void Session::start_parallel() {
  parallel_ = true;
  barrier_compute_ = issued_compute_;
  barrier_dma_ = issued_dma_;
  device_.observers().notify({.kind = DeviceEvent::Kind::section_begin});
}

void Session::end_parallel() {
  parallel_ = false;
  device_.observers().notify({.kind = DeviceEvent::Kind::section_end});
}

void Session::poll() {
  device_.observers().notify({.kind = DeviceEvent::Kind::poll});
  unpolled_ = false;
  static_cast<void>(device_.drain());  // its error sticks to the device
}

}  // namespace tputwin::okk
