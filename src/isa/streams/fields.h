// Fields of the commands in streams of the BM1684 and BM1684X. A command is a struct with one
// member per field. A form gives the position of each field. The forms are generated from the *.def
// tables of the chips' directories.
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
  std::string_view name;  // as in the description
  uint64_t Command::*member;
  uint16_t first, width;  // in bits
};

// The positions of the fields of some commands.
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

// The position of a part of a field: eight bytes from `byte` on contain it, `shift` bits from their
// begin.
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

// A field of kWhole bits or more may span nine bytes. It is read in two parts, the lower 32 bits
// first.
constexpr uint32_t kWhole = 57, kHalf = 32;

}  // namespace fields

// Reads the fields of a command. `bytes` must have at least the bytes of the form.
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

// Writes the fields of a command. Bits without a field become 0.
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

// Returns the first set bit that belongs to no field.
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
