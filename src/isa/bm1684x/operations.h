// The tables tiu_operations.def and gdma_operations.def as rows.
#pragma once

#include <algorithm>
#include <span>

#include "isa/bm1684x/decode.h"

namespace tputwin::isa::bm1684x_streams {

struct TiuRow {
  uint8_t type, code;
  std::string_view name;
  // nullptr: the reference model does not execute it.
  TiuDecoder decode;
  TiuVariant variant;
};
struct GdmaRow {
  uint8_t type, code;
  std::string_view name;
  GdmaDecoder decode;
  GdmaVariant variant;
};
std::span<const TiuRow> tiu_rows();
std::span<const GdmaRow> gdma_rows();

// The contents of the first eight bytes of a command.
struct CommandHead {
  bool is_short;
  uint64_t type, code;
};
CommandHead tiu_head(std::span<const uint8_t> command);
CommandHead gdma_head(std::span<const uint8_t> command);

// Use of the lane mask by a class and variant of the GDMA. `unconfirmed`: assumed to be `used`,
// which no recording confirms.
enum class LaneMask : uint8_t { used, ignored, unconfirmed };
LaneMask lane_mask(uint64_t type, uint64_t variant);

// Returns the form of a tensor-engine command; nullopt if the class has none of that length.
std::optional<TiuForm> tiu_form_of(uint64_t type, uint64_t code, bool is_short);

// Returns the form of a GDMA command; nullopt if the class has none of that length.
std::optional<GdmaForm> gdma_form_of(uint64_t type, bool is_short);

// Returns the row of a class and code; nullptr: there is none.
template <class Row>
const Row* find_row(std::span<const Row> rows, uint64_t type, uint64_t code) {
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& candidate) {
    return candidate.type == type && candidate.code == code;
  });
  return row == rows.end() ? nullptr : &*row;
}

}  // namespace tputwin::isa::bm1684x_streams
