// Finds out if this process can multiply pairs of bf16 (VDPBF16PS): CPUID, and a test of the
// instruction on random numbers. The bound of rounded_groups-inl.h needs sums that add the two
// products one after the other, each time rounded to nearest even.
#include "ops/fast/dispatch/isa.h"

#if defined(__x86_64__)
#include <cpuid.h>

#include <algorithm>
#include <array>
#include <random>

#include "numerics/float32.h"
#endif

namespace tputwin::fast {

#if defined(__x86_64__)
namespace {

bool processor_has_bf16_pairs() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kAvx512Bf16 = 1 << 5;
  return __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0 && (a & kAvx512Bf16) != 0;
}

constexpr size_t kElements = 16;
struct alignas(64) Pairs {
  std::array<float, kElements> sums;
  std::array<uint32_t, kElements> left, right;
};

__attribute__((target("avx512f,avx512bf16"))) void multiply(Pairs& pairs) {
  asm volatile(
      "vmovups (%0), %%zmm0\n"
      "vmovups (%1), %%zmm1\n"
      "vdpbf16ps (%2), %%zmm1, %%zmm0\n"
      "vmovups %%zmm0, (%0)"
      :
      : "r"(pairs.sums.data()), "r"(pairs.left.data()), "r"(pairs.right.data())
      : "xmm0", "xmm1", "memory");
}

// Returns true if a sum is what one of the three orders of two additions gives.
bool is_sum_of_two(float result, float sum, uint32_t left, uint32_t right) {
  const auto product = [&](uint32_t a, uint32_t b) {
    return f32::mul(f32::from_bits(a), f32::from_bits(b));
  };
  const float even = product(left << 16, right << 16),
              odd = product(left & 0xffff'0000, right & 0xffff'0000);
  const float sums[] = {f32::add(f32::add(sum, odd), even), f32::add(f32::add(sum, even), odd),
                        f32::add(sum, f32::add(odd, even))};
  return std::ranges::any_of(sums, [&](float s) { return f32::bits(s) == f32::bits(result); });
}

bool sums_are_rounded() {
  constexpr int kRounds = 500;
  std::mt19937 random;
  // Exponents are close to each other, so that sums cancel and round.
  const auto number = [&](uint32_t mask) {
    return (static_cast<uint32_t>(random()) & mask) | (120 + static_cast<uint32_t>(random()) % 12)
                                                          << 23;
  };
  for (int round = 0; round < kRounds; ++round) {
    Pairs pairs;
    for (size_t i = 0; i < kElements; ++i) {
      pairs.sums[i] = f32::from_bits(number(0x807f'ffff));
      for (uint32_t* cell : {&pairs.left[i], &pairs.right[i]})
        *cell = number(0x807f'0000) | number(0x807f'0000) >> 16;
    }
    const Pairs before = pairs;
    multiply(pairs);
    for (size_t i = 0; i < kElements; ++i)
      if (!is_sum_of_two(pairs.sums[i], before.sums[i], before.left[i], before.right[i]))
        return false;
  }
  return true;
}

}  // namespace

bool has_bf16_pairs() {
  static const bool has = processor_has_bf16_pairs() && sums_are_rounded();
  return has;
}
#else
bool has_bf16_pairs() { return false; }
#endif

}  // namespace tputwin::fast
