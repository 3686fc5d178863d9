// Fields of the commands in the streams of BM1684 and BM1684X: a command is a struct with one
// member per field; a form says where each lies. Reading and writing the bits is made of the tables
// *.def of the chips' folders.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

namespace tputwin::isa {

template <class Command>
struct CommandField {
  std::string_view name;  // as the description calls it
  uint64_t Command::*member;
  uint16_t first, width;  // bits
};

// How the fields of some commands lie.
template <class Command>
struct CommandForm {
  std::string_view name;
  uint32_t bytes;  // 16 to 128
  std::span<const CommandField<Command>> fields;
};

namespace fields {

constexpr uint32_t kMostBytes = 128, kWordBytes = 8;

constexpr uint64_t ones(uint32_t width) {
  return width == 64 ? UINT64_MAX : (uint64_t{1} << width) - 1;
}

// Where a part of a field begins in the eight bytes that hold it whole.
struct Place {
  uint32_t byte, shift;
};
constexpr Place place(uint32_t first, uint32_t bytes) {
  const uint32_t byte = std::min(first / 8, bytes - kWordBytes);
  return {byte, first - 8 * byte};
}

inline uint64_t bits(const uint8_t* command, uint32_t bytes, uint32_t first, uint32_t width) {
  const Place at = place(first, bytes);
  uint64_t word;
  std::memcpy(&word, command + at.byte, sizeof word);
  return word >> at.shift & ones(width);
}
inline void set_bits(uint8_t* command, uint32_t bytes, uint32_t first, uint32_t width,
                     uint64_t value) {
  const Place at = place(first, bytes);
  uint64_t word;
  std::memcpy(&word, command + at.byte, sizeof word);
  word |= (value & ones(width)) << at.shift;
  std::memcpy(command + at.byte, &word, sizeof word);
}

// Of a wide field, whose eight bytes may lie across nine, the lower half comes first.
constexpr uint32_t kWhole = 57, kHalf = 32;

}  // namespace fields

// The fields in the bytes of a command, which are as many as the form has.
template <class Command>
Command unpack(const CommandForm<Command>& form, std::span<const uint8_t> bytes) {
  Command command;
  for (const CommandField<Command>& field : form.fields) {
    const uint32_t low = field.width < fields::kWhole ? field.width : fields::kHalf;
    uint64_t value = fields::bits(bytes.data(), form.bytes, field.first, low);
    if (low < field.width)
      value |= fields::bits(bytes.data(), form.bytes, field.first + low, field.width - low) << low;
    command.*field.member = value;
  }
  return command;
}

// The reverse; bits that no field has are 0.
template <class Command>
void pack(const CommandForm<Command>& form, const Command& command, std::span<uint8_t> bytes) {
  std::memset(bytes.data(), 0, form.bytes);
  for (const CommandField<Command>& field : form.fields) {
    const uint32_t low = field.width < fields::kWhole ? field.width : fields::kHalf;
    const uint64_t value = command.*field.member;
    fields::set_bits(bytes.data(), form.bytes, field.first, low, value);
    if (low < field.width)
      fields::set_bits(bytes.data(), form.bytes, field.first + low, field.width - low,
                       value >> low);
  }
}

// The first bit set that no field has.
template <class Command>
std::optional<uint32_t> reserved_bit(const CommandForm<Command>& form,
                                     std::span<const uint8_t> bytes) {
  uint8_t named[fields::kMostBytes] = {};
  Command all;
  for (const CommandField<Command>& field : form.fields) all.*field.member = UINT64_MAX;
  pack(form, all, named);
  for (uint32_t i = 0; i < form.bytes; ++i)
    if (const uint32_t rest = bytes[i] & ~named[i] & 0xffu; rest != 0)
      return 8 * i + static_cast<uint32_t>(std::countr_zero(rest));
  return std::nullopt;
}

}  // namespace tputwin::isa
