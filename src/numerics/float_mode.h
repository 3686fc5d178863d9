// The number environment of the fp32 engines: round to nearest even, subnormal operands read as
// zero, subnormal results flushed to zero, no traps. bm1684-machine 7.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tputwin {

// Sets the mode for the calling thread and restores the old one. What it governs must be behind a
// call the compiler does not inline, or it may be moved out.
class ScopedFloatMode {
 public:
#if defined(__x86_64__)
  ScopedFloatMode() : saved_(_mm_getcsr()) { _mm_setcsr(kFlushAll); }
  ~ScopedFloatMode() { _mm_setcsr(saved_); }

 private:
  static constexpr uint32_t kFlushAll = 0x9fc0;  // FTZ, DAZ, all exceptions masked
  uint32_t saved_;
#elif defined(__aarch64__)
  ScopedFloatMode() {
    asm volatile("mrs %0, fpcr" : "=r"(saved_));
    asm volatile("msr fpcr, %0" ::"r"(kFlushAll));
  }
  ~ScopedFloatMode() { asm volatile("msr fpcr, %0" ::"r"(saved_)); }

 private:
  static constexpr uint64_t kFlushAll = uint64_t{1} << 24;  // FZ
  uint64_t saved_;
#else
#error "fp32 operations need a processor whose subnormals can be flushed"
#endif

 public:
  ScopedFloatMode(const ScopedFloatMode&) = delete;
  ScopedFloatMode& operator=(const ScopedFloatMode&) = delete;
};

}  // namespace tputwin
