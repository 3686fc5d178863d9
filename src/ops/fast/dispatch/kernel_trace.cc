// The lines of TPUTWIN_TRACE_BODIES, and the events that tests record.
#include "ops/fast/dispatch/kernel_trace.h"

#include <fmt/format.h>

#include <cstdio>
#include <mutex>

#include "base/variables.h"

namespace tputwin::fast {
namespace {

bool is_wanted() { return is_on(EnvVariable::trace_kernels); }

const bool writes_lines = is_wanted();
std::mutex mutex;
KernelTrace* listener = nullptr;

}  // namespace

std::atomic<bool> traced{is_wanted()};

void trace_kernel(std::string_view operation, const char* kernel, const char* declined) {
  const std::string_view why = declined != nullptr ? declined : "";
  std::lock_guard lock(mutex);
  if (listener != nullptr)
    listener->events_.push_back({std::string(operation), kernel, std::string(why)});
  if (!writes_lines) return;
  fmt::print(stderr, "tputwin: kernel: {}: {} {}{}\n", operation, kernel,
             why.empty() ? "ran" : "declined: ", why);
}

KernelTrace::KernelTrace() {
  std::lock_guard lock(mutex);
  listener = this;
  traced = true;
}

KernelTrace::~KernelTrace() {
  std::lock_guard lock(mutex);
  listener = nullptr;
  traced = writes_lines;
}

}  // namespace tputwin::fast
