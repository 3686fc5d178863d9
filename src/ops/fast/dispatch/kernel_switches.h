// The set of fast kernels in use. All are in use, until a self-test finds one that differs from its
// reference kernel on this processor (selftest/first_use.h).
#pragma once

#include <cstddef>

#include "memory/memory.h"

namespace tputwin {
struct Operation;
}

namespace tputwin::fast {

// Switches off the fast kernels of an alternative of Operation.
void switch_off(size_t alternative);
bool is_switched_off(size_t alternative);
void switch_all_on();
// Returns true if the kernels are switched off, or spoilt (below).
bool is_off_or_spoilt(size_t alternative);

// For tests of the self-test: spoil_kernel() makes a kernel write a wrong byte, spoil_none() ends
// that.
void spoil_kernel(size_t alternative);
void spoil_none();
// Called after a fast kernel. Writes the wrong byte if the kernels of its alternative are spoilt.
void spoil_result(const Operation& operation, const Memory& memory);

}  // namespace tputwin::fast
