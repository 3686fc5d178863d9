// gen.py in C++: converts SHAKE-128 of "SEED:INDEX" to numbers of the kind in the spec.
#include "synthetic_input.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "numerics/float16.h"
#include "numerics/float_mode.h"

namespace tputwin::recorded {
namespace {

enum Type { kF32, kF16, kI8, kU8, kI16, kU16, kI32, kU32, kBf16, kI4, kU4 };

std::vector<uint8_t> digest(const EVP_MD* kind, const void* bytes, size_t size, size_t wanted) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> state(EVP_MD_CTX_new(),
                                                                      EVP_MD_CTX_free);
  std::vector<uint8_t> result(wanted);
  EVP_DigestInit_ex(state.get(), kind, nullptr);
  EVP_DigestUpdate(state.get(), bytes, size);
  if (kind == EVP_shake128())
    EVP_DigestFinalXOF(state.get(), result.data(), wanted);
  else
    EVP_DigestFinal_ex(state.get(), result.data(), nullptr);
  return result;
}

template <class T>
void append(std::vector<uint8_t>& bytes, T value) {
  bytes.resize(bytes.size() + sizeof value);
  std::memcpy(bytes.data() + bytes.size() - sizeof value, &value, sizeof value);
}

void append_value(std::vector<uint8_t>& bytes, int dtype, double value) {
  const auto whole = static_cast<int64_t>(value);
  uint32_t bits = 0;
  const auto narrow = static_cast<float>(value);
  std::memcpy(&bits, &narrow, 4);
  switch (dtype) {
    case kF32:
      return append(bytes, narrow);
    case kF16:
      return append(bytes, f16::from_f32(narrow));
    case kBf16:
      return append(bytes, static_cast<uint16_t>(bits >> 16));
    case kI8:
    case kU8:
      return append(bytes, static_cast<uint8_t>(whole));
    case kI16:
    case kU16:
      return append(bytes, static_cast<uint16_t>(whole));
    default:
      return append(bytes, static_cast<uint32_t>(whole));
  }
}

// "int:-3:7" -> {"int", -3, 7}
struct Spec {
  std::string kind;
  int64_t first = 0, second = 0;
  explicit Spec(const std::string& text) : kind(text.substr(0, text.find(':'))) {
    const size_t colon = text.find(':'), next = text.find(':', colon + 1);
    if (colon != std::string::npos) first = std::atoll(text.c_str() + colon + 1);
    if (next != std::string::npos) second = std::atoll(text.c_str() + next + 1);
  }
};

double value_of(const Spec& spec, int dtype, uint64_t index, uint32_t word) {
  if (spec.kind == "seq") return static_cast<double>(index);
  if (spec.kind == "int" || spec.kind == "half") {
    const auto range = static_cast<uint64_t>(spec.second - spec.first + 1);
    const auto whole = static_cast<double>(spec.first + static_cast<int64_t>(word % range));
    return spec.kind == "int" ? whole : whole + 0.5 * (word >> 31);
  }
  const int shift = dtype == kF32 ? 8 : dtype == kF16 ? 21 : 24, bits = 32 - shift;
  const double scale = std::ldexp(1.0, static_cast<int>(spec.first)), fraction = word >> shift;
  return spec.kind == "pm" ? (std::ldexp(fraction, 1 - bits) - 1) * scale
                           : std::ldexp(fraction, -bits) * scale;
}

}  // namespace

std::vector<uint8_t> synthetic_input(const std::string& spec, const std::string& seed, int index,
                                     int dtype, uint64_t count) {
  constexpr int kBits[] = {32, 16, 8, 8, 16, 16, 32, 32, 16, 4, 4};
  const std::string name = fmt::format("{}:{}", seed, index);
  const Spec parsed(spec);
  const bool raw = parsed.kind == "bytes";
  const uint64_t size = raw ? (count * kBits[dtype] + 7) / 8 : 4 * count;
  std::vector<uint8_t> stream = digest(EVP_shake128(), name.data(), name.size(), size);
  if (raw) return stream;
  ScopedFloatMode mode(ScopedFloatMode::ieee);
  std::vector<uint8_t> bytes;
  for (uint64_t i = 0; i < count; ++i) {
    uint32_t word = 0;
    std::memcpy(&word, stream.data() + 4 * i, 4);
    append_value(bytes, dtype, value_of(parsed, dtype, i, word));
  }
  return bytes;
}

std::string sha256(const void* bytes, size_t size) {
  std::string text;
  for (uint8_t byte : digest(EVP_sha256(), bytes, size, 32)) text += fmt::format("{:02x}", byte);
  return text;
}

}  // namespace tputwin::recorded
