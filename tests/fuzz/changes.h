// Shared by mutators: changes of numbers, bytes and JSON that are likely to find errors.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "fuzz/targets.h"
#include "selftest/rng.h"

namespace tputwin::fuzz {

// Returns another number of `width` bits: an end of the range, a neighbour, one bit changed, or
// any.
uint64_t edge_number(testing::Rng& rng, uint64_t old, uint32_t width);
// Changes one to three bytes.
void change_bytes(std::span<uint8_t> bytes, testing::Rng& rng);
// Changes a value or a member; if the text is no JSON, some bytes.
std::string changed_json(std::string_view text, testing::Rng& rng);

}  // namespace tputwin::fuzz
