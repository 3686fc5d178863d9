// Scaling of integers.
#include "bmnet/targets/bm1684x/bytes/scaling.h"

#include <cmath>

namespace tputwin::net::bm1684x {
namespace {

// Shifts of commands.
constexpr int kMostShift = 63;

Source word(int32_t value) { return Source::value(static_cast<uint32_t>(value), DType::i32); }

}  // namespace

Scaling scaling_of(double ratio) {
  if (!(ratio > 0) || !std::isfinite(ratio)) return {};
  int exponent = 0;
  const double mantissa = std::frexp(ratio, &exponent);  // in [0.5, 1)
  auto multiplier = static_cast<int64_t>(std::llround(std::ldexp(mantissa, 31)));
  int shift = 31 - exponent;
  if (multiplier == int64_t{1} << 31) {
    multiplier >>= 1;
    --shift;
  }
  if (shift > kMostShift) return {};  // less than any integer
  if (shift < 0) return {INT32_MAX, 0};
  return {static_cast<int32_t>(multiplier), shift};
}

void scale_to_bytes(StreamProgram& program, const TensorView& to, const TensorView& from,
                    double ratio) {
  const Scaling s = scaling_of(ratio);
  program.add(Requantize{.kind = Requantize::Kind::to_narrow,
                         .out = to,
                         .in = from,
                         .multiplier = word(s.multiplier),
                         .shift = word(-s.shift),
                         .offset = word(0),
                         .rounding = Rounding::half_up});
}

std::vector<uint8_t> word_bytes(std::span<const int32_t> words) {
  std::vector<uint8_t> bytes;
  bytes.reserve(4 * words.size());
  for (int32_t word : words)
    for (int i = 0; i < 32; i += 8) bytes.push_back(static_cast<uint8_t>(word >> i));
  return bytes;
}

std::vector<uint8_t> byte_weights(std::span<const float> integers) {
  std::vector<uint8_t> bytes(integers.size());
  for (size_t i = 0; i < integers.size(); ++i)
    bytes[i] = static_cast<uint8_t>(static_cast<int>(integers[i]));
  return bytes;
}

}  // namespace tputwin::net::bm1684x
