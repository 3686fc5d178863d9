// run_kernel: faults, exceptions and failed assertions end the kernel and not the process.
#include "sdk/okkernel/run_kernel.h"

#include <fmt/format.h>

#include <exception>
#include <string_view>

#include "base/errors/machine.h"
#include "base/last_error.h"
#include "base/variables.h"
#include "numerics/float_mode.h"
#include "sdk/okkernel/fault_handler.h"
#include "sdk/okkernel/kernel_exit.h"
#include "sdk/okkernel/kernel_lock.h"
#include "sdk/okkernel/pointer.h"
#include "sdk/okkernel/running_launch.h"
#include "sdk/record/model_recorder.h"

namespace tputwin::okk {
namespace {

std::string describe(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "not a std::exception";
  }
}

KernelEnd call_kernel(Session& session, const std::string& name, KernelFunction function,
                      const void* arguments) {
  const auto mode = session.quirks().kernel_flush ? ScopedFloatMode::flush : ScopedFloatMode::ieee;
  ScopedFloatMode float_mode(mode);
  FaultHandler faults(session);
  RunControl* const control = running_control();
  if (control != nullptr) control->function = reinterpret_cast<const void*>(function);
  try {
    return run_leavable(function, arguments);
  } catch (...) {
    session.report(
        Error(session.rules().exception).argument("exception", describe(std::current_exception())),
        name);
  }
  return KernelEnd::returned;
}

// Returns true if the launch was given up because it did not end.
bool is_abandoned() {
  const RunControl* control = running_control();
  return control != nullptr && control->abandoned;
}

// Reports a fault that is the first error.
void report_fault(Session& session, const std::string& name) {
  session.report(
      Error(session.rules().pointer_left)
          .argument("pointer", describe_neighbour(session.device(), FaultHandler::fault_address())),
      name);
}

// Returns a note to the first error on how the kernel ended after it.
std::string end_after_error(KernelEnd end) {
  switch (end) {
    case KernelEnd::runaway:
      return fmt::format("the kernel made {} further calls, and was ended", kCallsAfterError);
    case KernelEnd::stopped:
      return "the kernel was stopped afterwards, as its time was over";
    case KernelEnd::fault:
      return "the kernel's own code faulted afterwards";
    case KernelEnd::assertion:
      return "a condition of the kernel did not hold afterwards";
    default:
      return "";
  }
}

std::optional<Error> first_error(const Diagnostics& record, const std::string& note) {
  std::optional<Error> error = record.first_error();
  if (!error || note.empty()) return error;
  const std::string& detail = error->detail();
  return std::move(*error).detail(detail.empty() ? note : fmt::format("{}; {}", detail, note));
}

bool assertions_fail_launches() { return value_of(EnvVariable::assert_) == "fail"; }

}  // namespace

Outcome run_kernel(Device& device, const std::string& name, KernelFunction function,
                   const void* arguments) {
  if (Status locked = KernelLock::take(); !locked.ok())
    return {.error = locked.error(), .warnings = {}};
  Diagnostics& record = thread_diagnostics();
  record.clear();
  Session session(device);
  session.expect_initialize();
  record::Recorder* const recorder = record::Recorder::of_process();
  record::Launch recording(device, name);
  if (recorder != nullptr) session.set_recording(&recording);
  ScopedSession current(session);
  const KernelEnd end = call_kernel(session, name, function, arguments);
  if (is_abandoned()) return {};  // the device belongs to other launches now
  std::string note;
  if (device.errors().any())
    note = end_after_error(end);
  else if (end == KernelEnd::fault)
    report_fault(session, name);
  else if (session.parallel() && end != KernelEnd::stopped)
    session.report(Error(session.rules().parallel_open), name);
  device.observers().notify({.kind = DeviceEvent::Kind::kernel_end});
  session.poll();
  // The first error is the cause; calls after it may have broken rules too.
  Outcome outcome{.error = first_error(record, note), .warnings = record.warnings()};
  if (end == KernelEnd::stopped && !outcome.error) outcome.error = Error(errors::mch_stopped);
  if (recorder != nullptr && !outcome.error) recorder->take(recording);
  device.errors().clear();
  device.errors().diagnostics().clear();
  record.clear();
  release_scratch();
  KernelLock::release();
  return outcome;
}

void leave_failed_kernel(const char* file, int line, const char* expression) {
  if (!in_leavable_kernel()) return;
  Session& session = *current_session();
  if (session.device().errors().any()) leave_kernel(KernelEnd::assertion);
  if (!assertions_fail_launches()) return;
  session.report(Error(session.rules().assertion).argument(expression, "false"),
                 fmt::format("{}:{}", file, line));
  leave_kernel(KernelEnd::reported);
}

}  // namespace tputwin::okk
