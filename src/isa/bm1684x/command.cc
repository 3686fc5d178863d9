// Packs and unpacks the fields of BM1684X commands.
#include "isa/bm1684x/command.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace tputwin::isa {
namespace {

namespace tiu_fields {
#define TW_FORM(form, name, bytes) constexpr CommandField<TiuCommand> form[] = {
#define TW_FIELD(field, name, first, width) {name, &TiuCommand::field, first, width},
#define TW_FORM_END(form) \
  }                       \
  ;
#include "isa/bm1684x/tiu_fields.def"
}  // namespace tiu_fields

namespace gdma_fields {
#define TW_FORM(form, name, bytes) constexpr CommandField<GdmaCommand> form[] = {
#define TW_FIELD(field, name, first, width) {name, &GdmaCommand::field, first, width},
#define TW_FORM_END(form) \
  }                       \
  ;
#include "isa/bm1684x/gdma_fields.def"
}  // namespace gdma_fields

constexpr CommandForm<TiuCommand> kTiuForms[] = {
#define TW_FORM(form, name, bytes) {name, bytes, tiu_fields::form},
#define TW_FIELD(...)
#define TW_FORM_END(form)
#include "isa/bm1684x/tiu_fields.def"
};
constexpr CommandForm<GdmaCommand> kGdmaForms[] = {
#define TW_FORM(form, name, bytes) {name, bytes, gdma_fields::form},
#define TW_FIELD(...)
#define TW_FORM_END(form)
#include "isa/bm1684x/gdma_fields.def"
};

constexpr uint32_t kMostBytes = 128, kWordBytes = 8;

constexpr uint64_t ones(uint32_t width) {
  return width == 64 ? UINT64_MAX : (uint64_t{1} << width) - 1;
}

// Where a field begins in the eight bytes that hold it whole: no field lies across more.
struct Place {
  uint32_t byte, shift;
};
constexpr Place place(uint32_t first, uint32_t bytes) {
  const uint32_t byte = std::min(first / 8, bytes - kWordBytes);
  return {byte, first - 8 * byte};
}

}  // namespace

const CommandForm<TiuCommand>& form(TiuForm f) { return kTiuForms[static_cast<size_t>(f)]; }
const CommandForm<GdmaCommand>& form(GdmaForm f) { return kGdmaForms[static_cast<size_t>(f)]; }
std::span<const CommandForm<TiuCommand>> tiu_forms() { return kTiuForms; }
std::span<const CommandForm<GdmaCommand>> gdma_forms() { return kGdmaForms; }

template <class Command>
Command unpack(const CommandForm<Command>& form, std::span<const uint8_t> bytes) {
  Command command;
  for (const CommandField<Command>& field : form.fields) {
    const Place at = place(field.first, form.bytes);
    uint64_t word;
    std::memcpy(&word, bytes.data() + at.byte, sizeof word);
    command.*field.member = word >> at.shift & ones(field.width);
  }
  return command;
}

template <class Command>
void pack(const CommandForm<Command>& form, const Command& command, std::span<uint8_t> bytes) {
  std::memset(bytes.data(), 0, form.bytes);
  for (const CommandField<Command>& field : form.fields) {
    const Place at = place(field.first, form.bytes);
    uint64_t word;
    std::memcpy(&word, bytes.data() + at.byte, sizeof word);
    word |= (command.*field.member & ones(field.width)) << at.shift;
    std::memcpy(bytes.data() + at.byte, &word, sizeof word);
  }
}

template <class Command>
std::optional<uint32_t> reserved_bit(const CommandForm<Command>& form,
                                     std::span<const uint8_t> bytes) {
  uint8_t named[kMostBytes] = {};
  Command all;
  for (const CommandField<Command>& field : form.fields) all.*field.member = UINT64_MAX;
  pack(form, all, named);
  for (uint32_t i = 0; i < form.bytes; ++i)
    if (const uint32_t rest = bytes[i] & ~named[i] & 0xffu; rest != 0)
      return 8 * i + static_cast<uint32_t>(std::countr_zero(rest));
  return std::nullopt;
}

#define TW_COMMAND(Command)                                                            \
  template Command unpack(const CommandForm<Command>&, std::span<const uint8_t>);      \
  template void pack(const CommandForm<Command>&, const Command&, std::span<uint8_t>); \
  template std::optional<uint32_t> reserved_bit(const CommandForm<Command>&,           \
                                                std::span<const uint8_t>);
TW_COMMAND(TiuCommand)
TW_COMMAND(GdmaCommand)

}  // namespace tputwin::isa
