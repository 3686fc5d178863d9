// Generates bytes from a seed; ../bm168x/README.md describes how.
#include <fmt/format.h>
#include <openssl/evp.h>

#include <bit>
#include <cstring>
#include <memory>
#include <stdexcept>

#include "case.h"

namespace tputwin::conformance {
namespace {

std::vector<uint8_t> shake128(const std::string& seed, size_t count) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                        &EVP_MD_CTX_free);
  std::vector<uint8_t> bytes(count);
  if (EVP_DigestInit_ex(context.get(), EVP_shake128(), nullptr) != 1 ||
      EVP_DigestUpdate(context.get(), seed.data(), seed.size()) != 1 ||
      EVP_DigestFinalXOF(context.get(), bytes.data(), count) != 1)
    throw std::runtime_error("SHAKE-128 does not work");
  return bytes;
}

constexpr uint32_t kSpecial[] = {
    0x00000000, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc10000, 0x7f820000, 0xff830000,
    0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000, 0x7f7fffff, 0xff7fffff,
    0x3f800000, 0xbf800000, 0x4f000000, 0xcf000000, 0x3f000000, 0xbf000000, 0x3fc00000, 0xc0200000,
    0x42b00000, 0xc2ce0000, 0x5f000000, 0x33000000, 0x4b000001, 0x4effffff, 0x7fffffff, 0xffffffff};

uint32_t real(uint32_t u, float scale) {
  return std::bit_cast<uint32_t>((static_cast<float>(u >> 8) * 0x1p-23f - 1.0f) * scale);
}

// Replaces every T of the bytes by f(T).
template <class T, class F>
void each(std::vector<uint8_t>& bytes, F&& f) {
  for (size_t i = 0; i + sizeof(T) <= bytes.size(); i += sizeof(T)) {
    T value;
    std::memcpy(&value, &bytes[i], sizeof value);
    value = static_cast<T>(f(value));
    std::memcpy(&bytes[i], &value, sizeof value);
  }
}

}  // namespace

std::vector<uint8_t> seeded_bytes(const std::string& seed, std::string_view kind, size_t count) {
  std::vector<uint8_t> bytes = shake128(seed, count);
  if (kind == "f32")
    each<uint32_t>(bytes, [](uint32_t u) { return real(u, 8.0f); });
  else if (kind == "unit")
    each<uint32_t>(bytes, [](uint32_t u) { return real(u, 1.0f); });
  else if (kind == "special")
    each<uint32_t>(bytes,
                   [](uint32_t u) { return (u & 0x20) != 0 ? kSpecial[u & 31] : real(u, 8.0f); });
  else if (kind == "shift")
    each<uint16_t>(bytes, [](uint16_t u) { return u % 33 - 16; });
  else if (kind == "small")
    each<uint8_t>(bytes, [](uint8_t u) { return ((u & 15) ^ 8) - 8; });
  else if (kind != "bytes")
    throw std::runtime_error(fmt::format("'{}' is no kind of bytes", kind));
  return bytes;
}

}  // namespace tputwin::conformance
