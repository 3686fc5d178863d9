// Which fast bodies are in use. All are, until a self-test finds one that differs from its
// reference body on this processor (selftest/first_use.h).
#pragma once

#include <cstddef>

#include "memory/memory.h"

namespace tputwin {
struct Operation;
}

namespace tputwin::fast {

// The fast body of an alternative of Operation is left out from now on.
void switch_off(size_t alternative);
bool is_switched_off(size_t alternative);
void switch_all_on();
// It is left out, or leaves a wrong byte (below).
bool is_off_or_spoilt(size_t alternative);

// For tests of the self-test: this body leaves a wrong byte from now on, or none does.
void spoil_body(size_t alternative);
void spoil_none();
// Called after a fast body: the wrong byte, if its alternative has to leave one.
void spoil_result(const Operation& operation, const Memory& memory);

}  // namespace tputwin::fast
