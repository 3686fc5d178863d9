// The forms of BM1684 commands, generated from the field tables.
#include "isa/bm1684/command.h"

namespace tputwin::isa::bm1684_streams {
namespace {

constexpr uint32_t kBytes = 128;

constexpr CommandField<TiuCommand> kTiuFields[] = {
#define TW_FIELD(field, first, width) {#field, &TiuCommand::field, first, width},
#include "isa/bm1684/tiu_fields.def"
#undef TW_FIELD
};
constexpr CommandField<GdmaCommand> kGdmaFields[] = {
#define TW_FIELD(field, first, width) {#field, &GdmaCommand::field, first, width},
#include "isa/bm1684/gdma_fields.def"
#undef TW_FIELD
};

constexpr CommandForm<TiuCommand> kTiu{"TIU", kBytes, kTiuFields};
constexpr CommandForm<GdmaCommand> kGdma{"GDMA", kBytes, kGdmaFields};

}  // namespace

const CommandForm<TiuCommand>& tiu_form() { return kTiu; }
const CommandForm<GdmaCommand>& gdma_form() { return kGdma; }

}  // namespace tputwin::isa::bm1684_streams
