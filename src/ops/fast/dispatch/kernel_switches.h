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
// Returns true if the kernels are switched off, or spoilt by spoil_kernel().
bool is_off_or_spoilt(size_t alternative);

// Tests of the self-test call these functions. spoil_kernel() makes the fast kernels of an
// alternative write a wrong byte, and spoil_none() ends that.
void spoil_kernel(size_t alternative);
void spoil_none();
// Writes the wrong byte if the kernels of the operation are spoilt. The caller must call it after
// each fast kernel.
void spoil_result(const Operation& operation, const Memory& memory);

}  // namespace tputwin::fast
