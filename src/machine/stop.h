// A request to end the work that a thread does on a device, made by another thread. Whoever works
// looks between two instructions; those who wait for it say so first.
#pragma once

#include <atomic>

namespace tputwin {

// Returns true if the calling thread's work must end.
bool is_stop_wanted();

// Makes a flag the calling thread's for as long as it lives.
class ScopedStop {
 public:
  explicit ScopedStop(const std::atomic<bool>& flag);
  ~ScopedStop();
  ScopedStop(const ScopedStop&) = delete;
  ScopedStop& operator=(const ScopedStop&) = delete;

 private:
  const std::atomic<bool>* before_;
};

// Marks, for as long as it lives, that the calling thread runs code of a library of the user's that
// is no kernel.
class ScopedForeignCode {
 public:
  ScopedForeignCode();
  ~ScopedForeignCode();
  ScopedForeignCode(const ScopedForeignCode&) = delete;
  ScopedForeignCode& operator=(const ScopedForeignCode&) = delete;
};

// Returns true while a ScopedForeignCode of the calling thread lives. Signal handlers may call it.
bool runs_foreign_code();

}  // namespace tputwin
