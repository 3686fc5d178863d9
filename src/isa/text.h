// Readable forms of instructions: one line of text, or JSON.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "isa/bm1880_codec.h"

namespace tputwin::isa {

// Returns for example "BD   12 <- GDMA 3  conv2d out=i8(1,8,5,5)@L+0x0 in=... window 3x3 pad ...
// rshift 7".
std::string to_text(const Instruction&);
std::string to_text(const Command&);            // with offset and flags
std::string to_json(std::span<const Command>);  // an array, one object per instruction

}  // namespace tputwin::isa
