// Little-endian numbers in files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tputwin::bmodel {

// Returns the number in the first bytes. There must be at least sizeof(T) bytes.
template <class T>
T little_endian(std::span<const uint8_t> bytes) {
  T value = 0;
  for (size_t i = 0; i < sizeof(T); ++i) value |= T{bytes[i]} << (8 * i);
  return value;
}

template <class T>
void append_little_endian(std::vector<uint8_t>& bytes, T value) {
  for (size_t i = 0; i < sizeof(T); ++i) bytes.push_back(static_cast<uint8_t>(value >> (8 * i)));
}

}  // namespace tputwin::bmodel
