// The commands of the BM1684X with one member per field. Code that reads and writes their bits is
// generated from the tables tiu_fields.def and gdma_fields.def.
#pragma once

#include "isa/streams/fields.h"

namespace tputwin::isa::bm1684x_streams {

// Fields that a form does not have are 0. A command whose form has no lane mask writes all lanes.
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

}  // namespace tputwin::isa::bm1684x_streams
