// Traces the kernel that ran each operation, and why others declined. TPUTWIN_TRACE_BODIES=1 writes
// a line to standard error for each kernel that was tried. Tests record events. Without either, an
// operation tests one flag.
#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <vector>

namespace tputwin::fast {

extern std::atomic<bool> traced;
inline bool is_traced() { return traced.load(std::memory_order_relaxed); }

// Records that a kernel ran, or why it did not (`declined`).
void trace_body(std::string_view operation, const char* body, const char* declined);

struct BodyEvent {
  std::string operation, body, declined;  // declined: empty if it ran
  bool operator==(const BodyEvent&) const = default;
};

// Records the events of all threads during its lifetime. Only one may exist at a time.
class BodyTrace {
 public:
  BodyTrace();
  ~BodyTrace();
  BodyTrace(const BodyTrace&) = delete;
  BodyTrace& operator=(const BodyTrace&) = delete;

  const std::vector<BodyEvent>& events() const { return events_; }
  void clear() { events_.clear(); }

 private:
  friend void trace_body(std::string_view, const char*, const char*);
  std::vector<BodyEvent> events_;
};

}  // namespace tputwin::fast
