// The operations of the BM1684's tensor engine, generated from their table.
#include "isa/bm1684/decode.h"

namespace tputwin::isa::bm1684_streams {
namespace {

using Real = FloatArithmetic::Kind;
using Fixed = FixedPoint::Kind;
using Bits = Bitwise::Kind;

const TiuRow kTiuRows[] = {
#define TW_TIU(type, code, name, decoder, ...) {type, code, name, decoder, {__VA_ARGS__}},
#include "isa/bm1684/tiu_operations.def"
#undef TW_TIU
};

}  // namespace

std::span<const TiuRow> tiu_rows() { return kTiuRows; }

const TiuRow* find_row(uint64_t type, uint64_t code) {
  for (const TiuRow& row : kTiuRows)
    if (row.type == type && row.code == code) return &row;
  return nullptr;
}

}  // namespace tputwin::isa::bm1684_streams
