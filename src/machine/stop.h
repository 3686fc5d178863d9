// A request to end the work of a thread on a device, made by another thread. The working thread
// checks the flag between two instructions.
#pragma once

#include <atomic>

namespace tputwin {

// Returns true if the calling thread's work must end.
bool is_stop_wanted();

// Makes `flag` the stop flag of the calling thread for the lifetime of this object.
class ScopedStop {
 public:
  explicit ScopedStop(const std::atomic<bool>& flag);
  ~ScopedStop();
  ScopedStop(const ScopedStop&) = delete;
  ScopedStop& operator=(const ScopedStop&) = delete;

 private:
  const std::atomic<bool>* before_;
};

// Marks, for its lifetime, that the calling thread runs code of a user's library that is not a
// kernel.
class ScopedForeignCode {
 public:
  ScopedForeignCode();
  ~ScopedForeignCode();
  ScopedForeignCode(const ScopedForeignCode&) = delete;
  ScopedForeignCode& operator=(const ScopedForeignCode&) = delete;
};

// Returns true while a ScopedForeignCode of the calling thread exists. Signal handlers may call it.
bool runs_foreign_code();

}  // namespace tputwin
