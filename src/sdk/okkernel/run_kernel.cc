#include "sdk/okkernel/run_kernel.h"

#include <fmt/format.h>

#include <csetjmp>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <string_view>

#include "base/last_error.h"
#include "numerics/float_mode.h"
#include "sdk/okkernel/session.h"

namespace tputwin::okk {
namespace {

// Where a failed assertion of this thread's kernel goes on; nullptr outside kernels.
thread_local std::jmp_buf* assertion_exit = nullptr;

// The kernel's own code runs between setjmp and longjmp; nothing here lives across them.
void call_leavable(KernelFunction function, const void* arguments) {
  std::jmp_buf exit;
  assertion_exit = &exit;
  if (setjmp(exit) == 0) function(arguments);
  assertion_exit = nullptr;
}

std::string describe(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "not a std::exception";
  }
}

void call_kernel(Session& session, const std::string& name, KernelFunction function,
                 const void* arguments) {
  const auto mode = session.quirks().kernel_flush ? ScopedFloatMode::flush : ScopedFloatMode::ieee;
  ScopedFloatMode float_mode(mode);
  try {
    call_leavable(function, arguments);
  } catch (...) {
    assertion_exit = nullptr;
    session.report(
        Error(session.rules().exception).argument("exception", describe(std::current_exception())),
        name);
  }
}

bool assertions_fail_launches() {
  const char* value = std::getenv("TPUTWIN_ASSERT");
  return value != nullptr && std::string_view(value) == "fail";
}

}  // namespace

Outcome run_kernel(Device& device, const std::string& name, KernelFunction function,
                   const void* arguments) {
  static std::mutex one_kernel;
  std::lock_guard lock(one_kernel);
  Diagnostics& record = thread_diagnostics();
  record.clear();
  Session session(device);
  session.expect_initialize();
  ScopedSession current(session);
  call_kernel(session, name, function, arguments);
  if (session.parallel() && device.error().ok())
    session.report(Error(session.rules().parallel_open), name);
  session.poll();
  // the first error is the cause; calls after it may have broken rules as well
  Outcome outcome{.error = record.first_error(), .warnings = record.warnings()};
  device.clear_error();
  device.diagnostics().clear();
  record.clear();
  return outcome;
}

void leave_failed_kernel(const char* file, int line, const char* expression) {
  if (assertion_exit == nullptr || !assertions_fail_launches()) return;
  Session& session = *current_session();
  session.report(Error(session.rules().assertion).argument(expression, "false"),
                 fmt::format("{}:{}", file, line));
  std::longjmp(*assertion_exit, 1);
}

}  // namespace tputwin::okk
