// The commands of the BM1684, 128 bytes each, with one member per field. They are generated from
// the tables tiu_fields.def and gdma_fields.def.
#pragma once

#include "isa/streams/fields.h"

namespace tputwin::isa::bm1684_streams {

struct TiuCommand {
#define TW_FIELD(field, first, width) uint64_t field = 0;
#include "isa/bm1684/tiu_fields.def"
#undef TW_FIELD
  bool operator==(const TiuCommand&) const = default;
};
struct GdmaCommand {
#define TW_FIELD(field, first, width) uint64_t field = 0;
#include "isa/bm1684/gdma_fields.def"
#undef TW_FIELD
  bool operator==(const GdmaCommand&) const = default;
};

// Each engine has one form.
const CommandForm<TiuCommand>& tiu_form();
const CommandForm<GdmaCommand>& gdma_form();

}  // namespace tputwin::isa::bm1684_streams
