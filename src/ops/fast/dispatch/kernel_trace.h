// Traces the kernel that ran each operation, and why others declined. TPUTWIN_TRACE_BODIES=1 writes
// a line to standard error for each kernel that was tried. A KernelTrace records the same as
// events, for tests. If neither is in use, an operation only tests one flag.
#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <vector>

namespace tputwin::fast {

extern std::atomic<bool> traced;
inline bool is_traced() { return traced.load(std::memory_order_relaxed); }

// Records that a kernel ran (`declined` is nullptr), or why it declined.
void trace_kernel(std::string_view operation, const char* kernel, const char* declined);

// Describes a kernel that was tried. `declined` is empty if the kernel ran.
struct KernelEvent {
  std::string operation, kernel, declined;
  bool operator==(const KernelEvent&) const = default;
};

// Records the events of all threads during its lifetime. Only one may exist at a time.
class KernelTrace {
 public:
  KernelTrace();
  ~KernelTrace();
  KernelTrace(const KernelTrace&) = delete;
  KernelTrace& operator=(const KernelTrace&) = delete;

  const std::vector<KernelEvent>& events() const { return events_; }
  void clear() { events_.clear(); }

 private:
  friend void trace_kernel(std::string_view, const char*, const char*);
  std::vector<KernelEvent> events_;
};

}  // namespace tputwin::fast
