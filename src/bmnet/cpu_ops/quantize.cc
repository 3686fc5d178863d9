// Conversion from int8 to float and back, as in operators of the host.
#include "bmnet/cpu_ops/quantize.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/parallel.h"

namespace tputwin::net {
namespace {

constexpr size_t kValuesPerTask = 4096;

}  // namespace

std::vector<float> dequantize(std::span<const uint8_t> bytes, bool int8, float threshold) {
  if (!int8) {
    std::vector<float> values(bytes.size() / sizeof(float));
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
    return values;
  }
  std::vector<float> values(bytes.size());
  parallel_for(values.size(), kValuesPerTask, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
      values[i] = static_cast<float>(static_cast<int8_t>(bytes[i])) * threshold / 128;
  });
  return values;
}

HostRounding rounding_of(std::string_view type) {
  const bool vendors = type == "ELU" || type == "LeakyRelu";
  return vendors ? HostRounding::half_then_cut : HostRounding::nearest;
}

void quantize(std::span<const float> values, bool int8, float threshold, std::span<uint8_t> bytes,
              HostRounding rounding) {
  if (!int8) {
    std::memcpy(bytes.data(), values.data(), std::min(bytes.size(), values.size_bytes()));
    return;
  }
  const auto byte_of = [&](float y) {
    const float half_more = y * 128 / threshold + 0.5F;
    if (std::isnan(half_more)) return uint8_t{0};
    const float scaled =
        rounding == HostRounding::nearest ? std::floor(half_more) : std::trunc(half_more);
    return static_cast<uint8_t>(static_cast<int8_t>(std::clamp(scaled, -128.0F, 127.0F)));
  };
  parallel_for(values.size(), kValuesPerTask, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) bytes[i] = byte_of(values[i]);
  });
}

}  // namespace tputwin::net
