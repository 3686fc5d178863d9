// transfer: moves a value to a Writer, or from a Reader, member by member.
#pragma once

#include <array>
#include <bit>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "insight/recording/archive.h"
#include "insight/recording/members.h"
#include "ops/operation.h"

namespace tputwin::insight::recording {

// Returns true if the enumeration names V. Compilers print other values as "(Enum)5".
template <class Enum, Enum V>
constexpr bool is_enumerator() {
  const std::string_view text = __PRETTY_FUNCTION__;
  const size_t at = text.rfind("V = ");
  return text[at + 4] != '(';
}

// Returns the number of values of an enumeration, which must be 0, 1, 2, ...
template <class Enum, unsigned kFirst = 0>
constexpr uint64_t enumerators() {
  if constexpr (is_enumerator<Enum, static_cast<Enum>(kFirst)>())
    return enumerators<Enum, kFirst + 1>();
  else
    return kFirst;
}

template <class Archive, class T>
void transfer(Archive& archive, T& value);

template <class Archive, class T>
void transfer_number(Archive& archive, T& value, uint64_t most) {
  if constexpr (Archive::kReads)
    value = static_cast<T>(archive.number(most));
  else
    archive.number(static_cast<uint64_t>(value));
}

// Zigzag coding: small numbers of either sign become small unsigned numbers.
template <class Archive, class T>
void transfer_signed(Archive& archive, T& value) {
  auto bits = static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(int64_t{value} >> 63);
  transfer_number(archive, bits,
                  2 * uint64_t{std::numeric_limits<std::make_unsigned_t<T>>::max() / 2} + 1);
  value = static_cast<T>(bits >> 1 ^ (~(bits & 1) + 1));
}

template <class Archive, class T>
void transfer_bytes(Archive& archive, T& value) {
  if constexpr (Archive::kReads) {
    const std::span<const uint8_t> found = archive.bytes();
    value.assign(found.begin(), found.end());
  } else {
    archive.bytes({reinterpret_cast<const uint8_t*>(value.data()), value.size()});
  }
}

template <class Archive, class T>
void transfer_optional(Archive& archive, std::optional<T>& value) {
  bool has = value.has_value();
  transfer(archive, has);
  if constexpr (Archive::kReads) value = has ? std::optional<T>(T{}) : std::nullopt;
  if (has) transfer(archive, *value);
}

template <class T>
constexpr bool kIsOptional = false;
template <class T>
constexpr bool kIsOptional<std::optional<T>> = true;
template <class T>
constexpr bool kIsArray = false;
template <class T, size_t N>
constexpr bool kIsArray<std::array<T, N>> = true;
// Members that point to a listener are skipped, because a recording has no listeners.
template <class T>
constexpr bool kIsListener = false;
template <class T>
constexpr bool kIsListener<std::shared_ptr<T>> = true;

template <class Archive, class T>
void transfer(Archive& archive, T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    transfer_number(archive, value, 1);
  } else if constexpr (std::is_enum_v<T>) {
    transfer_number(archive, value, enumerators<T>() - 1);
  } else if constexpr (std::is_same_v<T, float>) {
    auto bits = std::bit_cast<uint32_t>(value);
    transfer_number(archive, bits, UINT32_MAX);
    value = std::bit_cast<float>(bits);
  } else if constexpr (std::is_signed_v<T>) {
    transfer_signed(archive, value);
  } else if constexpr (std::is_unsigned_v<T>) {
    transfer_number(archive, value, std::numeric_limits<T>::max());
  } else if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, std::vector<uint8_t>>) {
    transfer_bytes(archive, value);
  } else if constexpr (kIsOptional<T>) {
    transfer_optional(archive, value);
  } else if constexpr (kIsArray<T>) {
    for (auto& element : value) transfer(archive, element);
  } else if constexpr (!kIsListener<T>) {
    with_members(value, [&](auto&... members) { (transfer(archive, members), ...); });
  }
}

// Writes the operation after the name of its type.
void write(Writer& to, const Operation& operation);
Operation read_operation(Reader& from);

}  // namespace tputwin::insight::recording
