// The commands of the BM1684X with one member per field; reading and writing their bits is made of
// the tables tiu_fields.def and gdma_fields.def.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tputwin::isa {

// Fields that a form does not have keep these values. A lane mask of none would be all lanes.
struct TiuCommand {
#define TW_NAME(field) uint64_t field = 0;
#include "isa/bm1684x/tiu_fields.def"
  bool operator==(const TiuCommand&) const = default;
};
struct GdmaCommand {
#define TW_NAME(field) uint64_t field = 0;
#include "isa/bm1684x/gdma_fields.def"
  bool operator==(const GdmaCommand&) const = default;
};

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
  uint32_t bytes;  // at least 16
  std::span<const CommandField<Command>> fields;
};

enum class TiuForm : uint8_t {
#define TW_FORM(form, name, bytes) form,
#define TW_FIELD(...)
#define TW_FORM_END(form)
#include "isa/bm1684x/tiu_fields.def"
};
enum class GdmaForm : uint8_t {
#define TW_FORM(form, name, bytes) form,
#define TW_FIELD(...)
#define TW_FORM_END(form)
#include "isa/bm1684x/gdma_fields.def"
};

const CommandForm<TiuCommand>& form(TiuForm);
const CommandForm<GdmaCommand>& form(GdmaForm);
std::span<const CommandForm<TiuCommand>> tiu_forms();
std::span<const CommandForm<GdmaCommand>> gdma_forms();

// The fields in the bytes of a command, which are as many as the form has.
template <class Command>
Command unpack(const CommandForm<Command>& form, std::span<const uint8_t> bytes);
// The reverse; bits that no field has are 0.
template <class Command>
void pack(const CommandForm<Command>& form, const Command& command, std::span<uint8_t> bytes);
// The first bit set that no field has.
template <class Command>
std::optional<uint32_t> reserved_bit(const CommandForm<Command>& form,
                                     std::span<const uint8_t> bytes);

}  // namespace tputwin::isa
