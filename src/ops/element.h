// One element of operations whose fast bodies compute element by element too: both bodies share it.
#pragma once

#include <cstdint>

namespace tputwin {

struct Requantise;
struct Unary;

// From an element's bits to the result's, as Memory::read() and Memory::write() pass them.
int32_t element(const Unary& op, int32_t bits);
// multiplier, shift and offset: their bits.
int32_t element(const Requantise& op, int64_t in, int32_t multiplier, int32_t shift,
                int32_t offset);

}  // namespace tputwin
