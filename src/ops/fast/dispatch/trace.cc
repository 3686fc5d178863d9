// The lines of TPUTWIN_TRACE_BODIES, and the events that tests record.
#include "ops/fast/dispatch/trace.h"

#include <fmt/format.h>

#include <cstdio>
#include <mutex>

#include "base/variables.h"

namespace tputwin::fast {
namespace {

bool is_wanted() { return is_on(EnvVariable::trace_bodies); }

const bool writes_lines = is_wanted();
std::mutex mutex;
BodyTrace* listener = nullptr;

}  // namespace

std::atomic<bool> traced{is_wanted()};

void trace_body(std::string_view operation, const char* body, const char* declined) {
  const std::string_view why = declined != nullptr ? declined : "";
  std::lock_guard lock(mutex);
  if (listener != nullptr)
    listener->events_.push_back({std::string(operation), body, std::string(why)});
  if (!writes_lines) return;
  fmt::print(stderr, "tputwin: body: {}: {} {}{}\n", operation, body,
             why.empty() ? "ran" : "declined: ", why);
}

BodyTrace::BodyTrace() {
  std::lock_guard lock(mutex);
  listener = this;
  traced = true;
}

BodyTrace::~BodyTrace() {
  std::lock_guard lock(mutex);
  listener = nullptr;
  traced = writes_lines;
}

}  // namespace tputwin::fast
