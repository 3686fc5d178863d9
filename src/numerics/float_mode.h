// The floating-point mode of the fp32 engines: round to nearest even, subnormal operands read as
// zero, subnormal results flushed to zero, no traps. bm1684-machine 7. x86 flushes by the rounded
// result, as the chip does. Arm flushes by the exact result; f32::product and
// ops/fast/vec/float32-inl.h correct that.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tputwin {

// Sets the mode for the calling thread; the destructor restores the old one. Code that depends on
// the mode must be in a function that is not inlined. Otherwise the compiler may move it out of the
// scope.
class ScopedFloatMode {
 public:
  // ieee: subnormals are numbers, as at the start of a program.
  enum Mode { flush, ieee };

#if defined(__x86_64__)
  explicit ScopedFloatMode(Mode mode = flush) : saved_(_mm_getcsr()) {
    _mm_setcsr(mode == flush ? kFlushAll : kIeee);
  }
  ~ScopedFloatMode() { _mm_setcsr(saved_); }

 private:
  static constexpr uint32_t kIeee = 0x1f80;              // all exceptions masked
  static constexpr uint32_t kFlushAll = kIeee | 0x8040;  // FTZ, DAZ
  uint32_t saved_;
#elif defined(__aarch64__)
  explicit ScopedFloatMode(Mode mode = flush) {
    asm volatile("mrs %0, fpcr" : "=r"(saved_));
    asm volatile("msr fpcr, %0" ::"r"(mode == flush ? kFlushAll : 0) : "memory");
  }
  ~ScopedFloatMode() { asm volatile("msr fpcr, %0" ::"r"(saved_) : "memory"); }

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
