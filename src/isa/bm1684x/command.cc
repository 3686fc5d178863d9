// The forms of BM1684X commands, generated from the field tables.
#include "isa/bm1684x/command.h"

namespace tputwin::isa::bm1684x_streams {
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

}  // namespace

const CommandForm<TiuCommand>& form(TiuForm f) { return kTiuForms[static_cast<size_t>(f)]; }
const CommandForm<GdmaCommand>& form(GdmaForm f) { return kGdmaForms[static_cast<size_t>(f)]; }
std::span<const CommandForm<TiuCommand>> tiu_forms() { return kTiuForms; }
std::span<const CommandForm<GdmaCommand>> gdma_forms() { return kGdmaForms; }

}  // namespace tputwin::isa::bm1684x_streams
