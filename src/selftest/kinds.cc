// The values of each kind.
#include "selftest/kinds.h"

#include <bit>
#include <span>

#include "numerics/float16.h"
#include "numerics/float32.h"

namespace tputwin::testing {
namespace {

constexpr uint32_t kKinds = static_cast<uint32_t>(ValueKind::any) + 1;

template <class T>
uint32_t one_of(Rng& rng, std::span<const T> values) {
  return values[rng.below(values.size())];
}

// NaN payloads are in the upper 16 bits, where bf16 keeps them, or in the lower 16 bits, where it
// does not.
constexpr uint32_t kZeros[] = {0x00000000, 0x80000000, 0x3f800000, 0xbf800000};
constexpr uint32_t kNans[] = {0x7f800000, 0xff800000, 0x7fc00000, 0xffc10000, 0x7f820000,
                              0xff830000, 0x7f800001, 0xffbfffff, 0x7fabcdef, 0x7fffffff,
                              0x00000000, 0x80000000, 0x7f7fffff, 0xff7fffff, 0x3f800000};
constexpr uint32_t kBorders[] = {
    0x00000001, 0x80000001, 0x00010000, 0x807f0000, 0x007f7fff, 0x007f8000, 0x807f8000, 0x007f8001,
    // Smallest of fp32 and bf16.
    0x007fffff, 0x807fffff, 0x00800000, 0x80800000, 0x00808000, 0x01000000, 0x33000000, 0x33000001,
    0x33800000, 0x387fc000, 0x387fe000, 0x38800000,              // smallest of fp16
    0x477fe000, 0x477fefff, 0x477ff000, 0xc77ff000, 0x47800000,  // largest of fp16
    // Largest of bf16 and fp32.
    0x7f7f0000, 0x7f7f7fff, 0x7f7f8000, 0xff7f8000, 0x7f7fffff, 0xff7fffff, 0x4b000000, 0x4b7fffff,
    0x4b800000, 0x4b800001,                                      // 2^23, 2^24
    0x4effffff, 0x4f000000, 0xcf000000, 0x4f7fffff, 0x4f800000,  // limits of integers
    0x42b00000, 0x42b20000, 0xc2ce0000, 0xc2d00000, 0x3f7fffff, 0x3f800001, 0x20000001, 0x9ffffffe,
    0x1ffffffe, 0x20000800, 0x1ffff000};  // products next to the smallest
constexpr uint16_t kHalfZeros[] = {0x0000, 0x8000, 0x3c00, 0xbc00};
constexpr uint16_t kHalfNans[] = {0x7c00, 0xfc00, 0x7e00, 0xfe01, 0x7c02, 0xfc03, 0x7fff,
                                  0x7c01, 0xfdff, 0x0000, 0x8000, 0x7bff, 0xfbff};
constexpr uint16_t kHalfBorders[] = {0x0001, 0x8001, 0x03ff, 0x83ff, 0x0400, 0x8400, 0x0401,
                                     0x7bff, 0xfbff, 0x7bfe, 0x3bff, 0x3c01, 0x6400, 0x6bff,
                                     0x6c00, 0x5800, 0xd800, 0x77ff, 0x7800, 0xf800};

uint32_t magnitude(Rng& rng, uint32_t exponents) {
  const uint32_t exponent = rng.range(127 - exponents, 127 + exponents);
  return static_cast<uint32_t>(rng.next() & 0x807f'ffff) | exponent << 23;
}

// Returns n + 1/2, or a neighbour of it.
uint32_t half(Rng& rng) {
  const int whole = static_cast<int>(rng.below(rng.coin() ? 9 : 195)) - (rng.coin() ? 104 : 4);
  const uint32_t bits = f32::bits(static_cast<float>(whole) + 0.5f);
  return rng.coin() ? bits : bits + rng.range(0, 2) - 1;
}

uint32_t any_half(Rng& rng, ValueKind kind) {
  switch (kind) {
    case ValueKind::zeros:
      return one_of<uint16_t>(rng, kHalfZeros);
    case ValueKind::nans:
      return one_of<uint16_t>(rng, kHalfNans);
    case ValueKind::borders:
      return one_of<uint16_t>(rng, kHalfBorders);
    case ValueKind::wide:
    case ValueKind::any:
      return static_cast<uint32_t>(rng.next() & 0xffff);
    default:
      return f16::from_f32(f32::from_bits(random_f32(rng, kind)));
  }
}

}  // namespace

ValueKind random_kind(Rng& rng) { return static_cast<ValueKind>(rng.below(kKinds)); }

uint32_t random_f32(Rng& rng, ValueKind kind) {
  switch (kind) {
    case ValueKind::integers:
      return f32::bits(static_cast<float>(static_cast<int>(rng.below(17)) - 8));
    case ValueKind::usual:
      return magnitude(rng, 6);
    case ValueKind::wide:
      return magnitude(rng, 24);
    case ValueKind::zeros:
      return one_of<uint32_t>(rng, kZeros);
    case ValueKind::nans:
      return one_of<uint32_t>(rng, kNans);
    case ValueKind::borders:
      return one_of<uint32_t>(rng, kBorders);
    case ValueKind::ties:
      return half(rng);
    case ValueKind::any:
      break;
  }
  if (rng.chance(1, 4)) return static_cast<uint32_t>(rng.next());
  return random_f32(rng, static_cast<ValueKind>(rng.below(kKinds - 1)));
}

uint32_t random_integer(Rng& rng) {
  if (rng.chance(1, 3)) return static_cast<uint32_t>(rng.next());
  if (rng.coin())
    return static_cast<uint32_t>(
        rng.pick({0, 1, -1, 127, 128, -128, 255, 32767, -32768, 65535, 3, -7, 0x7c00, 0xfc00,
                  0x7e01, 0x03ff, INT32_MIN, INT32_MAX}));
  // A tie in a conversion to 8, 11 or 24 bits, or a neighbour of it.
  const uint32_t digits = rng.pick({8u, 11u, 24u}), cut = rng.range(1, 32 - digits);
  const auto kept = static_cast<uint32_t>(rng.next()) >> (32 - digits) | 1u << (digits - 1);
  const uint32_t tie = kept << cut | 1u << (cut - 1);
  const uint32_t number = tie + rng.range(0, 2) - 1;
  return rng.coin() ? number : 0 - number;
}

uint32_t random_bits(Rng& rng, DType dtype, ValueKind kind) {
  switch (dtype) {
    case DType::f32:
      return random_f32(rng, kind);
    case DType::bf16:
      return random_f32(rng, kind) >> 16;
    case DType::f16:
      return any_half(rng, kind);
    default:
      return random_integer(rng);
  }
}

}  // namespace tputwin::testing
