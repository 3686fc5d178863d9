// Small command streams of the BM1684X for tests.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/bm1684x/command.h"

namespace tputwin::testing {

using isa::bm1684x_streams::GdmaCommand;
using isa::bm1684x_streams::GdmaForm;
using isa::bm1684x_streams::TiuCommand;
using isa::bm1684x_streams::TiuForm;

// A fill of lane memory with a constant (AR 19, short form).
TiuCommand tiu_fill(uint32_t id, uint32_t wait = 0);
// A linear move of 16 bytes in global memory (3.0).
GdmaCommand gdma_move(uint32_t id, uint32_t wait = 0);

// Appends a command in its form, or the end command with its zeros.
void append(std::vector<uint8_t>& stream, TiuForm form, const TiuCommand& command);
void append(std::vector<uint8_t>& stream, GdmaForm form, const GdmaCommand& command);
void append_tiu_end(std::vector<uint8_t>& stream, uint32_t id);
void append_gdma_end(std::vector<uint8_t>& stream, uint32_t id);

}  // namespace tputwin::testing
