// The differences between the streams of the chips: a table of functions and names for each.
#pragma once

#include <optional>
#include <string_view>

#include "isa/decode_check.h"
#include "isa/streams/fields.h"
#include "isa/streams/stream.h"

namespace tputwin::isa {

struct StreamFormat {
  Result<OneCommand> (*decode_tiu)(std::span<const uint8_t> bytes, const Chip&);
  Result<OneCommand> (*decode_gdma)(std::span<const uint8_t> bytes, const Chip&,
                                    const StreamOptions&);
  Result<std::vector<uint8_t>> (*encode)(const Instruction&, const Chip&);
  // Returns the command that ends a stream, with number `id`. Zeros follow it up to a multiple of
  // 128 bytes. nullptr: a stream ends with its last command.
  std::vector<uint8_t> (*end)(Engine, uint32_t id);
  // Returns the function of the kernel library that becomes the command of an instruction.
  std::string (*function_name)(const Instruction&, const Chip&);
  // Names of the fields for a command's number, and for the number it waits for.
  std::string_view tiu_number, gdma_number, tiu_wait, gdma_wait;
  uint32_t number_bits = 32;  // numbers count modulo 2^this
};

// The chip must be of the family bm1684 or bm1684x.
const StreamFormat& format_of(const Chip& chip);

inline std::string_view stream_name(Engine engine) {
  return engine == Engine::dma ? "GDMA" : "TIU";
}

// Reads a command of a form. Set bits without a field are errors.
template <class Command>
Result<Command> read(const CommandForm<Command>& form, std::span<const uint8_t> bytes) {
  if (bytes.size() < form.bytes)
    return Error(errors::isa_stream_truncated)
        .argument("bytes", fmt::format("{} of {}", bytes.size(), form.bytes));
  if (const auto bit = reserved_bit(form, bytes.first(form.bytes)))
    return Error(errors::isa_stream_reserved)
        .argument("bit", fmt::format("{} of form {}", *bit, form.name));
  return unpack(form, bytes);
}

// Returns the bytes of a command; nullopt if the form cannot hold its values.
template <class Command>
std::optional<std::vector<uint8_t>> bytes_in(const CommandForm<Command>& form,
                                             const Command& command) {
  std::vector<uint8_t> bytes(form.bytes);
  pack(form, command, bytes);
  if (unpack(form, std::span<const uint8_t>(bytes)) != command) return std::nullopt;
  return bytes;
}

// Checks that no operand has more elements than its memory has bytes. This bounds the repetition of
// elements by strides of 0.
Status check_counts(const Operation& op, const Chip& chip);

}  // namespace tputwin::isa
