// What mutators have in common: numbers, bytes and JSON that are likely to tell.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "fuzz/targets.h"
#include "selftest/rng.h"

namespace tputwin::fuzz {

// Another number of so many bits: an end of the range, a neighbour, a bit, anything.
uint64_t telling_number(testing::Rng& rng, uint64_t old, uint32_t width);
// One to three bytes.
void change_bytes(std::span<uint8_t> bytes, testing::Rng& rng);
// A value or a member changed; of what is no JSON some bytes.
std::string changed_json(std::string_view text, testing::Rng& rng);

}  // namespace tputwin::fuzz
