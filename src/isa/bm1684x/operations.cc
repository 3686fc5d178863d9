// The operations of the BM1684X's commands, generated from their tables.
#include "isa/bm1684x/operations.h"

#include <cstring>

#include "isa/bm1684x/codes.h"

namespace tputwin::isa::bm1684x_streams {
namespace {

using Real = FloatArithmetic::Kind;
using Integer = IntArithmetic::Kind;

const TiuRow kTiuRows[] = {
#define TW_TIU(type, code, name, decoder, ...) {type, code, name, decoder, {__VA_ARGS__}},
#define TW_TIU_REFUSED(type, code, name) {type, code, name, nullptr, {}},
#include "isa/bm1684x/tiu_operations.def"
#undef TW_TIU
#undef TW_TIU_REFUSED
};

const GdmaRow kGdmaRows[] = {
#define TW_GDMA(type, code, name, decoder, ...) {type, code, name, decoder, {__VA_ARGS__}},
#include "isa/bm1684x/gdma_operations.def"
#undef TW_GDMA
};

uint64_t first_word(std::span<const uint8_t> command) {
  uint64_t word;
  std::memcpy(&word, command.data(), sizeof word);
  return word;
}

}  // namespace

CommandHead tiu_head(std::span<const uint8_t> command) {
  const uint64_t word = first_word(command);
  return {(word & 1) != 0, word >> 41 & 0xf, word >> 45 & 0x1f};
}
CommandHead gdma_head(std::span<const uint8_t> command) {
  const uint64_t word = first_word(command);
  return {(word >> 3 & 1) != 0, word >> 32 & 0xf, word >> 36 & 7};
}

std::span<const TiuRow> tiu_rows() { return kTiuRows; }
std::span<const GdmaRow> gdma_rows() { return kGdmaRows; }

LaneMask lane_mask(uint64_t type, uint64_t variant) {
  switch (type) {
    case kMaskedSelect:
    case kNonzero:
      return LaneMask::ignored;
    case kGeneral:
      return variant == 0 ? LaneMask::ignored : LaneMask::unconfirmed;
    case kTensor:  // plain copies, and exchange of n and c
      return variant <= 1 ? LaneMask::used : LaneMask::unconfirmed;
    default:
      return variant == 0 ? LaneMask::used : LaneMask::unconfirmed;
  }
}

std::optional<TiuForm> tiu_form_of(uint64_t type, uint64_t code, bool is_short) {
  if (type == kSys) return TiuForm::sys;
  if (!is_short) return TiuForm::long_form;
  switch (type) {
    case kConv:
      return TiuForm::conv;
    case kPord:
      return TiuForm::pord;
    case kMm:
      return code < kFirstMm2 ? TiuForm::mm : TiuForm::mm2;
    // No document describes the 16-byte short form of AR 24 and 25, and of RQ/DQ 0.
    case kAr:
      return code == 24 || code == 25 ? std::nullopt : std::optional(TiuForm::ar);
    case kRqdq:
      return code == 0 ? std::nullopt : std::optional(TiuForm::rqdq);
    case kTransBc:
      return TiuForm::transbc;
    case kSg:
      return code < kFirstSgl ? TiuForm::sg : TiuForm::sgl;
    case kSfu:
      return TiuForm::sfu;
    case kLin:
      return TiuForm::lin;
    case kCmp:
      return TiuForm::cmp;
    case kVc:
      return TiuForm::vc;
    default:
      return std::nullopt;
  }
}

std::optional<GdmaForm> gdma_form_of(uint64_t type, bool is_short) {
  switch (type) {
    case kMatrix:
      return is_short ? GdmaForm::short_matrix : GdmaForm::tensor;
    case kMaskedSelect:
      return is_short ? GdmaForm::short_masked_select : GdmaForm::masked_select;
    case kGeneral:
      return is_short ? GdmaForm::short_general : GdmaForm::tensor;
    case kNonzero:
      return is_short ? GdmaForm::short_nonzero : GdmaForm::nonzero;
    case kGdmaSys:
      return is_short ? std::optional(GdmaForm::short_sys) : std::nullopt;
    case kTensor:
    case kCwTranspose:
      return is_short ? std::nullopt : std::optional(GdmaForm::tensor);
    case kGather:
    case kScatter:
      return is_short ? std::nullopt : std::optional(GdmaForm::gather_scatter);
    default:
      return std::nullopt;
  }
}

}  // namespace tputwin::isa::bm1684x_streams
